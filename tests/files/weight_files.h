// What the weight file tests share: the recorded files, decoding of elements, and the look of an error.
#pragma once

#include "sgf/core/error.h"
#include "sgf/files/tensor_file.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace sgf::testing {

inline std::filesystem::path weights_path(const std::string& name) {
  return std::filesystem::path(SGF_TEST_DATA) / "weights" / name;
}

inline std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

inline std::string file_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Opens text as if it were a file of that name.
inline TensorFile open_text(const std::string& name, const std::string& text) {
  return read_tensor_file(MappedFile::from_bytes(name, bytes_of(text)));
}

// The same length, other content; fails the test if `from` does not occur.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

inline void expect_error(const std::function<void()>& act, std::initializer_list<std::string_view> parts) {
  try {
    act();
    ADD_FAILURE() << "no Error was thrown";
  } catch (const Error& error) {
    for (const std::string_view part : parts) {
      EXPECT_NE(std::string_view(error.what()).find(part), std::string_view::npos)
          << "'" << part << "' is not in: " << error.what();
    }
  }
}

// --- elements ---

template <class Number>
double load(const std::byte* at) {
  Number number;
  std::memcpy(&number, at, sizeof number);
  return static_cast<double>(number);
}

// A float of the given layout; the widest exponent means infinity unless `finite`, as in E4M3. The FNUZ kinds have a
// bias that is one larger and are finite too.
inline double small_float(uint32_t bits, int exponent_bits, int mantissa_bits, bool finite, int more_bias = 0) {
  const uint32_t mantissa = bits & ((1u << mantissa_bits) - 1);
  const int exponent = static_cast<int>(bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
  const double sign = (bits >> (exponent_bits + mantissa_bits)) & 1 ? -1.0 : 1.0;
  const int bias = (1 << (exponent_bits - 1)) - 1 + more_bias;
  const double fraction = static_cast<double>(mantissa) / static_cast<double>(1u << mantissa_bits);
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias);
  if (!finite && exponent == (1 << exponent_bits) - 1) return mantissa ? NAN : sign * INFINITY;
  return sign * std::ldexp(1.0 + fraction, exponent - bias);
}

inline double decode(DType dtype, const std::byte* at) {
  const auto u8 = [at] { return static_cast<uint32_t>(load<uint8_t>(at)); };
  const auto u16 = [at] { return static_cast<uint32_t>(load<uint16_t>(at)); };
  switch (dtype) {
    case DType::kBool:
    case DType::kU8:
      return load<uint8_t>(at);
    case DType::kI8:
      return load<int8_t>(at);
    case DType::kU16:
      return load<uint16_t>(at);
    case DType::kI16:
      return load<int16_t>(at);
    case DType::kU32:
      return load<uint32_t>(at);
    case DType::kI32:
      return load<int32_t>(at);
    case DType::kU64:
      return load<uint64_t>(at);
    case DType::kI64:
      return load<int64_t>(at);
    case DType::kF8E4M3:
      return small_float(u8(), 4, 3, true);
    case DType::kF8E5M2:
      return small_float(u8(), 5, 2, false);
    case DType::kF8E4M3Fnuz:
      return u8() == 0x80 ? NAN : small_float(u8(), 4, 3, true, 1);
    case DType::kF8E5M2Fnuz:
      return u8() == 0x80 ? NAN : small_float(u8(), 5, 2, true, 1);
    case DType::kF8E8M0:
      return u8() == 0xff ? NAN : std::ldexp(1.0, static_cast<int>(u8()) - 127);
    case DType::kF16:
      return small_float(u16(), 5, 10, false);
    case DType::kBF16:
      return std::bit_cast<float>(u16() << 16);
    case DType::kC64:  // one of the pair
    case DType::kF32:
      return load<float>(at);
    case DType::kF64:
      return load<double>(at);
  }
  return NAN;
}

inline size_t numbers_of(const TensorEntry& entry) {
  return static_cast<size_t>(entry.element_count()) * (entry.dtype == DType::kC64 ? 2 : 1);
}

// All elements in row-major order of the view, read through its strides; real and imaginary part of a complex one.
inline std::vector<double> elements(const TensorFile& file, const TensorEntry& entry) {
  const auto bytes = file.bytes(entry);
  std::vector<double> values;
  std::vector<int64_t> index(entry.shape.size(), 0);
  for (int64_t n = 0; n < entry.element_count(); ++n) {
    int64_t at = 0;
    for (size_t i = 0; i < index.size(); ++i) at += index[i] * entry.strides[i];
    const std::byte* element = &bytes[static_cast<size_t>(at * byte_size(entry.dtype))];
    values.push_back(decode(entry.dtype, element));
    if (entry.dtype == DType::kC64) values.push_back(decode(entry.dtype, element + sizeof(float)));
    for (size_t i = index.size(); i-- > 0 && ++index[i] == entry.shape[i];) index[i] = 0;
  }
  return values;
}

// --- expected.json ---

inline const nlohmann::json& recorded(const std::string& file) {
  static const nlohmann::json all = nlohmann::json::parse(file_text(weights_path("expected.json")));
  return all.at(file);
}

// The file holds exactly the tensors, values and settings that Python recorded for it.
inline void expect_as_recorded(const TensorFile& file, const std::string& name) {
  const nlohmann::json& expected = recorded(name);
  EXPECT_EQ(describe_container(file), expected["format"]) << name;
  EXPECT_EQ(file.entries.size(), expected["tensors"].size()) << name;
  for (const auto& [key, tensor] : expected["tensors"].items()) {
    const TensorEntry* entry = file.find(key);
    ASSERT_NE(entry, nullptr) << name << " has no " << key;
    EXPECT_EQ(name_of(entry->dtype), tensor["dtype"]) << name << " " << key;
    EXPECT_EQ(entry->shape, tensor["shape"].get<std::vector<int64_t>>()) << name << " " << key;
    EXPECT_EQ(elements(file, *entry), tensor["values"].get<std::vector<double>>()) << name << " " << key;
  }
}

}  // namespace sgf::testing
