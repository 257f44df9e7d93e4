#include "sgf/weights/convert.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/files/checkpoint_format.h"
#include "sgf/files/safetensors.h"
#include "sgf/files/tensors.h"
#include "sgf/files/torch_archive_writer.h"
#include "sgf/model/weight_table.h"
#include "sgf/weights/lora_file.h"
#include "sgf/weights/merge_lora.h"
#include "sgf/weights/stored_config.h"
#include "sgf/weights/weight_folder.h"
#include "sgf/weights/weight_names.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace sgf {
namespace {

constexpr int64_t kPiece = 1 << 23;  // elements converted together

// What to write: the new name and where the numbers are.
struct Renamed {
  std::string name;
  const TensorEntry* entry;
  std::string official;  // name of a DiT's weight; "" for other tensors
};

bool is_torch_name(const std::filesystem::path& path) {
  return path.extension() == ".pt" || path.extension() == ".pth";
}

bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code error;  // a missing file is never the same file
  return std::filesystem::equivalent(a, b, error) && !error;
}

// The files that a LoRA is read from; a folder is PEFT's.
void check_output_is_no_lora(const ConvertRequest& request) {
  for (const LoraUse& use : request.loras) {
    const LoraFile lora = open_lora(use.file);
    const bool is_folder = std::filesystem::is_directory(use.file);
    std::vector<std::filesystem::path> inputs{(is_folder ? use.file : use.file.parent_path()) / "adapter_config.json"};
    for (const auto& mapped : lora.file.files) inputs.push_back(mapped->path());
    for (const std::filesystem::path& input : inputs)
      SGF_CHECK(!is_same_file(input, request.output), "{}: is a file of the LoRA {}; choose another output",
                request.output.string(), use.file.string());
  }
}

void check_output(const ConvertRequest& request, const TensorFile& file) {
  const std::filesystem::path& output = request.output;
  SGF_CHECK(output.extension() == ".safetensors" || is_torch_name(output),
            "{}: the output must end in .safetensors, .pt or .pth", output.string());
  for (const auto& mapped : file.files) {
    SGF_CHECK(!is_same_file(mapped->path(), output), "{}: is the input file; choose another output", output.string());
  }
  check_output_is_no_lora(request);
  std::error_code ignored;  // a path that cannot be examined fails later, when it is written
  const bool exists = std::filesystem::exists(std::filesystem::symlink_status(output, ignored));
  SGF_CHECK(!exists || request.overwrite, "{}: exists; pass --overwrite to replace it", output.string());
}

// A name that is not a DiT's, without the role and wrappers that were removed from the DiT's names.
std::string bare_name(std::string_view name, const DitWeightIndex& dit) {
  if (!dit.role.empty() && name.starts_with(dit.role + ".")) name.remove_prefix(dit.role.size() + 1);
  std::string bare(name);
  for (const std::string& prefix : dit.prefixes) {
    const bool stands_anywhere = prefix.starts_with("_");  // torch wraps any module, users wrap the whole network
    for (size_t at = bare.find(prefix); at == 0 || (stands_anywhere && at != std::string::npos);
         at = bare.find(prefix)) {
      bare.erase(at, prefix.size());
    }
  }
  return bare;
}

std::vector<Renamed> keep_names(const TensorFile& file) {
  std::vector<Renamed> tensors;
  for (const TensorEntry& entry : file.entries) tensors.push_back({entry.name, &entry, ""});
  return tensors;
}

// In the order of the file, so that equal input makes equal files whatever the names.
std::vector<Renamed> rename_dit(const TensorFile& file, const DitWeightIndex& dit, ConvertNames names,
                                ConvertResult& result) {
  std::map<const TensorEntry*, Renamed> renamed;
  for (const auto& [official, entry] : dit.tensors) {
    renamed[entry] = {names == ConvertNames::kDiffusers ? diffusers_name(official) : official, entry, official};
  }
  for (const std::string& name : dit.unexpected) {
    const TensorEntry* entry = file.find(name);
    renamed[entry] = {bare_name(name, dit), entry, ""};
    result.carried.push_back(name);
  }
  std::vector<Renamed> tensors;
  for (const TensorEntry& entry : file.entries) {
    const auto found = renamed.find(&entry);
    if (found != renamed.end()) tensors.push_back(found->second);
  }
  return tensors;
}

// Compares with the config stored with the file, otherwise with the sizes from its shapes.
std::vector<std::string> missing_weights(const DitWeightIndex& dit, const StoredConfig& stored) {
  std::vector<std::string> missing;
  try {
    for (const WeightShape& weight : expected_dit_weights(stored.config ? *stored.config : infer_dit_sizes(dit))) {
      if (!dit.tensors.contains(weight.name)) missing.push_back(weight.name);
    }
  } catch (const Error&) {  // unknown size: what every size has
    for (const auto rows : {rows_before_blocks(), rows_after_blocks()}) {
      for (const WeightRow& row : rows) {
        if (!dit.tensors.contains(std::string(row.official))) missing.emplace_back(row.official);
      }
    }
  }
  return missing;
}

std::vector<Renamed> choose_tensors(const TensorFile& file, const std::filesystem::path& input,
                                    const ConvertRequest& request, ConvertResult& result, LoraSum& loras) {
  const bool holds_dit = !find_dits(file).empty();
  if (request.names == ConvertNames::kKeep) {
    SGF_CHECK(!request.role, "--names keep works only for a whole file; remove --role or --names keep");
    SGF_CHECK(request.loras.empty(), "--names keep copies every tensor; remove --lora or --names keep");
    return keep_names(file);
  }
  const bool is_dit_wanted = request.role || !request.loras.empty();
  if (!holds_dit && request.names == ConvertNames::kWan && !is_dit_wanted) return keep_names(file);
  const DitWeightIndex dit = index_dit_weights(file, request.role);
  result.is_dit = true;
  result.role = dit.role;
  result.left_out = dit.other_roles;
  result.missing = missing_weights(dit, find_stored_config(file, input));
  if (!result.missing.empty()) result.hint = shard_hint(input);
  loras = LoraSum(request.loras, dit, input);
  return rename_dit(file, dit, request.names, result);
}

// A torch file's numbers and texts cannot be stored in the output; safetensors metadata can be stored in safetensors.
std::vector<std::string> values_left_out(const TensorFile& file, const std::filesystem::path& output) {
  std::vector<std::string> names;
  if (file.container == Container::kSafetensors && !is_torch_name(output)) return names;
  std::map<std::string, std::string> metadata = file.metadata;
  remove_hashes(metadata);  // hashes of the input's bytes do not apply to the output
  for (const auto& [name, value] : metadata) names.push_back(name);
  return names;
}

// A weight beyond the new type's range would become infinite: float16 ends at 65504, float32 and bfloat16 at 3.4e38.
void check_range(const at::Tensor& before, const at::Tensor& after, const std::string& name) {
  if (!before.is_floating_point() || !after.is_floating_point()) return;
  const bool holds = after.isfinite().eq(before.isfinite()).all().item<bool>();
  SGF_CHECK(holds, "{} has values beyond {}'s range{}", in_quotes(name), name_of(after.scalar_type()),
            after.scalar_type() == at::kHalf ? " of 65504; use bfloat16" : "");
}

at::Tensor widen(const at::Tensor& tensor) { return tensor.element_size() == 1 ? tensor.to(at::kFloat) : tensor; }

void write_converted(const at::Tensor& tensor, at::ScalarType type, const std::string& name, const ByteSink& sink) {
  const at::Tensor flat = tensor.reshape(-1);
  for (int64_t begin = 0; begin < flat.numel(); begin += kPiece) {
    const at::Tensor piece = flat.narrow(0, begin, std::min(kPiece, flat.numel() - begin));
    const at::Tensor converted = piece.to(type).contiguous();
    if (piece.scalar_type() != type) check_range(widen(piece), converted, name);
    sink({static_cast<const std::byte*>(converted.const_data_ptr()), converted.nbytes()});
  }
}

OutgoingTensor outgoing(const TensorFile& file, const Renamed& tensor, std::optional<DType> dtype,
                        const LoraSum& loras) {
  const TensorEntry& entry = *tensor.entry;
  const DType target = dtype && is_floating(entry.dtype) ? *dtype : entry.dtype;
  const auto produce = [&file, &entry, &loras, target, official = tensor.official](const ByteSink& sink) {
    if (loras.changes(official)) {
      const at::ScalarType type = scalar_type_of(target);
      return write_converted(loras.merged(official, map_tensor(file, entry), type), type, entry.name, sink);
    }
    if (target == entry.dtype && entry.is_contiguous()) return sink(file.bytes(entry));
    write_converted(map_tensor(file, entry), scalar_type_of(target), entry.name, sink);
  };
  return {.name = tensor.name, .dtype = target, .shape = entry.shape, .produce = produce};
}

// A torch file's metadata are the numbers and texts beside its tensors, which is not the meaning of safetensors
// metadata.
std::map<std::string, std::string> metadata_for(const TensorFile& file, const std::filesystem::path& input,
                                                bool is_dit) {
  std::map<std::string, std::string> metadata;
  if (file.container == Container::kSafetensors) metadata = file.metadata;
  remove_hashes(metadata);
  metadata.emplace("format", "pt");  // transformers and diffusers require it
  if (!is_dit) return metadata;
  metadata.erase(kFormatVersionKey);  // the output is plain weights, no longer a checkpoint
  metadata.erase(kCheckpointKindKey);
  const StoredConfig stored = find_stored_config(file, input);
  if (stored.config) metadata[kConfigKey] = to_json(*stored.config);
  return metadata;
}

}  // namespace

ConvertResult convert_weights(const ConvertRequest& request) {
  const std::filesystem::path input = find_dit_file(request.input);
  const TensorFile file = open_tensor_file(input);
  check_own_file(file, input);
  check_output(request, file);

  ConvertResult result;
  result.no_tensors = values_left_out(file, request.output);
  result.is_flattened = file.is_flattened;
  LoraSum loras;
  std::vector<OutgoingTensor> tensors;
  for (const Renamed& tensor : choose_tensors(file, input, request, result, loras)) {
    result.merged += loras.changes(tensor.official) ? 1 : 0;
    tensors.push_back(outgoing(file, tensor, request.dtype, loras));
  }
  if (is_torch_name(request.output)) {
    write_torch_archive(request.output, tensors);
  } else {
    write_safetensors(request.output, tensors, metadata_for(file, input, result.is_dit));
  }
  result.tensors = static_cast<int64_t>(tensors.size());
  result.bytes = std::filesystem::file_size(request.output);
  return result;
}

}  // namespace sgf
