// torch.save's format before zip archives, as old weight files have it: a pickle that names storages, then the
// storages.
#pragma once

#include "sgf/files/tensors.h"

#include <ATen/ATen.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

namespace sgf::testing {

template <class Number>
std::string raw_bytes(Number number) {
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

inline std::string pickled(const std::string& text) {
  return "X" + raw_bytes(static_cast<uint32_t>(text.size())) + text;
}
inline std::string pickled(int64_t number) { return "J" + raw_bytes(static_cast<int32_t>(number)); }
inline std::string pickled(at::IntArrayRef numbers) {
  std::string tuple = "(";
  for (const int64_t number : numbers) tuple += pickled(number);
  return tuple + "t";
}

constexpr const char* kEmptyOrderedDict = "ccollections\nOrderedDict\n)R";

// _rebuild_tensor_v2(persistent storage, offset, sizes, strides, requires_grad, hooks)
inline std::string pickled_tensor(const at::Tensor& tensor, const std::string& key) {
  const std::string storage = "(" + pickled(std::string("storage")) + "ctorch\nFloatStorage\n" + pickled(key) +
                              pickled(std::string("cpu")) + pickled(tensor.numel()) + "NtQ";
  return "ctorch._utils\n_rebuild_tensor_v2\n(" + storage + pickled(int64_t{0}) + pickled(tensor.sizes()) +
         pickled(tensor.strides()) + "\x89" + kEmptyOrderedDict + "tR";
}

// An OrderedDict of contiguous float32 tensors whose names stand behind `prefix`; below `key` of a dict, if one is
// named.
inline void write_legacy_pickle(const std::filesystem::path& path, const NamedTensors& tensors,
                                const std::string& prefix, const std::string& key = "") {
  std::string items, keys, storages;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const auto& [name, tensor] = tensors[i];
    items += pickled(prefix + name) + pickled_tensor(tensor, std::to_string(i));
    keys += pickled(std::to_string(i));
    storages += raw_bytes(tensor.numel());
    storages.append(static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes());
  }
  const std::string dict = kEmptyOrderedDict + ("(" + items + "u");
  const std::string begin("\x80\x02", 2);
  std::ofstream out(path, std::ios::binary);
  out << begin << "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";  // the magic number
  out << begin << pickled(int64_t{1001}) << ".";                        // the version
  out << begin << "}(" << pickled(std::string("protocol_version")) << pickled(int64_t{1001})
      << pickled(std::string("little_endian")) << "\x88u.";
  out << begin << (key.empty() ? dict : "}" + pickled(key) + dict + "s") << ".";
  out << begin << "](" << keys << "e." << storages;
}

}  // namespace sgf::testing
