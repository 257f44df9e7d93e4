#include "sgf/weights/lora_file.h"

#include "sgf/core/error.h"
#include "sgf/core/in_quotes.h"
#include "sgf/files/path_kind.h"
#include "sgf/weights/lora_names.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <set>

namespace sgf {
namespace {

constexpr const char* kDiffusersMetadata = "lora_adapter_metadata";
constexpr const char* kConfigName = "adapter_config.json";

// The tensors of one module, by part.
struct LoraTensors {
  std::string given;
  std::array<const TensorEntry*, 6> parts{};

  const TensorEntry*& of(LoraPart part) { return parts[static_cast<size_t>(part)]; }
  const TensorEntry* of(LoraPart part) const { return parts[static_cast<size_t>(part)]; }
};

using LoraModules = std::map<std::string, LoraTensors>;  // by official module

std::string shown_shape(const std::vector<int64_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

void refuse_unknown(const TensorFile& file, const std::filesystem::path& path,
                    const std::vector<std::string>& unknown) {
  if (unknown.empty()) return;
  SGF_CHECK(is_lora(file),
            "{}: holds no LoRA; its first of {} tensors is {}; expected names such as "
            "blocks.0.self_attn.q.lora_A.weight; a whole network goes to --model",
            path.string(), file.entries.size(), in_quotes(file.entries.front().name));
  fail("{}: {} of {} tensors are not understood as parts of a Wan LoRA, the first is {}{}", path.string(),
       unknown.size(), file.entries.size(), in_quotes(unknown.front()), reason_against_lora(unknown.front()));
}

LoraModules group_tensors(LoraFile& lora) {
  LoraModules modules;
  std::vector<std::string> unknown;
  for (const TensorEntry& entry : lora.file.entries) {
    const std::optional<LoraName> name = read_lora_name(entry.name);
    if (!name) {
      unknown.push_back(entry.name);
      continue;
    }
    if (!name->network.empty()) {
      lora.left_out.push_back(entry.name);
      continue;
    }
    LoraTensors& tensors = modules[name->module];
    tensors.given = name->given;
    const TensorEntry*& place = tensors.of(name->part);
    SGF_CHECK(place == nullptr, "{}: {} and {} are the same part of {}; pass a file with one adapter",
              lora.path.string(), in_quotes(place->name), in_quotes(entry.name), name->module);
    place = &entry;
  }
  refuse_unknown(lora.file, lora.path, unknown);
  SGF_CHECK(!modules.empty(), "{}: holds no LoRA of a generator{}", lora.path.string(),
            lora.left_out.empty() ? "" : ", only that of a critic");
  return modules;
}

double half_value(uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const double fraction = (bits & 1023) / 1024.0, sign = (bits >> 15) != 0 ? -1 : 1;
  if (exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
  return sign * (exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, exponent - 15));
}

template <class Number>
Number number_at(std::span<const std::byte> bytes) {
  Number number{};
  std::memcpy(&number, bytes.data(), sizeof number);
  return number;
}

// The one number of a tensor; NaN if it has another number of elements or a dtype that no alpha has.
double scalar_of(const TensorFile& file, const TensorEntry& entry) {
  if (entry.element_count() != 1) return NAN;
  const std::span<const std::byte> bytes = file.bytes(entry);
  if (bytes.size() < static_cast<size_t>(byte_size(entry.dtype))) return NAN;
  switch (entry.dtype) {
    case DType::kF64:
      return number_at<double>(bytes);
    case DType::kF32:
      return static_cast<double>(number_at<float>(bytes));
    case DType::kF16:
      return half_value(number_at<uint16_t>(bytes));
    case DType::kBF16: {
      const uint32_t wide = static_cast<uint32_t>(number_at<uint16_t>(bytes)) << 16;
      return static_cast<double>(std::bit_cast<float>(wide));
    }
    case DType::kI64:
      return static_cast<double>(number_at<int64_t>(bytes));
    case DType::kI32:
      return static_cast<double>(number_at<int32_t>(bytes));
    default:
      return NAN;
  }
}

bool is_matrix_number(DType dtype) {
  return dtype == DType::kF64 || dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16;
}

void check_numbers(const LoraFile& lora, const TensorEntry& entry) {
  SGF_CHECK(is_matrix_number(entry.dtype), "{}: {} is of {}, expected F32, F16, BF16 or F64", lora.path.string(),
            in_quotes(entry.name), name_of(entry.dtype));
  SGF_CHECK(entry.element_count() > 0, "{}: {} is empty, {}", lora.path.string(), in_quotes(entry.name),
            shown_shape(entry.shape));
}

// A and B belong together: [rank, in, ...] and [out, rank, 1...].
void check_pair(const LoraFile& lora, const std::string& module, const LoraTensors& tensors) {
  const TensorEntry* down = tensors.of(LoraPart::kDown);
  const TensorEntry* up = tensors.of(LoraPart::kUp);
  const TensorEntry* rest = tensors.of(LoraPart::kAlpha) ? tensors.of(LoraPart::kAlpha) : tensors.of(LoraPart::kUpBias);
  if (down == nullptr && up == nullptr) {
    SGF_CHECK(rest == nullptr, "{}: {} has neither A nor B (lora_A and lora_B, or lora_down and lora_up)",
              lora.path.string(), in_quotes(rest == nullptr ? module : rest->name));
    return;
  }
  SGF_CHECK(down != nullptr && up != nullptr, "{}: {} has no {}; the file is incomplete", lora.path.string(),
            in_quotes(down ? down->name : up->name), down ? "B (lora_B or lora_up)" : "A (lora_A or lora_down)");
  check_numbers(lora, *down);
  check_numbers(lora, *up);
  const bool fits = down->shape.size() >= 2 && up->shape.size() >= 2 && up->shape[1] == down->shape[0] &&
                    std::all_of(up->shape.begin() + 2, up->shape.end(), [](int64_t size) { return size == 1; });
  SGF_CHECK(fits, "{}: {} is {} and {} is {}, expected [rank, in] and [out, rank]", lora.path.string(),
            in_quotes(down->name), shown_shape(down->shape), in_quotes(up->name), shown_shape(up->shape));
}

// alpha / rank. The file's own number comes first, then the adapter's config, then alpha = rank.
double factor_of(LoraFile& lora, const LoraTensors& tensors, const std::optional<AdapterConfig>& config) {
  const auto rank = static_cast<double>(tensors.of(LoraPart::kDown)->shape[0]);
  const TensorEntry* stored = tensors.of(LoraPart::kAlpha);
  const std::optional<double> of_config = config ? config->alpha_of(tensors.given) : std::nullopt;
  if (stored == nullptr && !of_config) lora.is_alpha_assumed = true;
  const double alpha = stored ? scalar_of(lora.file, *stored) : of_config.value_or(rank);
  SGF_CHECK(std::isfinite(alpha), "{}: {} must be one finite number", lora.path.string(),
            in_quotes(stored ? stored->name : tensors.given));
  const std::optional<int64_t> named = config ? config->rank_of(tensors.given) : std::nullopt;
  SGF_CHECK(!named || static_cast<double>(*named) == rank,
            "{}: {} has rank {}, but the adapter's config says {}; is the config of another LoRA?", lora.path.string(),
            in_quotes(tensors.of(LoraPart::kDown)->name), rank, *named);
  const bool is_rank_stabilised = config && config->is_rank_stabilised && of_config && stored == nullptr;
  return is_rank_stabilised ? alpha / std::sqrt(rank) : alpha / rank;
}

void add_changes(LoraFile& lora, const std::string& module, const LoraTensors& tensors,
                 const std::optional<AdapterConfig>& config) {
  check_pair(lora, module, tensors);
  double factor = 1;
  if (const TensorEntry* down = tensors.of(LoraPart::kDown)) {
    factor = factor_of(lora, tensors, config);
    LoraChange& change = lora.changes[module + ".weight"];
    change.down = down;
    change.up = tensors.of(LoraPart::kUp);
    change.factor = factor;
  }
  if (const TensorEntry* diff = tensors.of(LoraPart::kWeightDiff)) lora.changes[module + ".weight"].diff = diff;
  const TensorEntry *up_bias = tensors.of(LoraPart::kUpBias), *bias_diff = tensors.of(LoraPart::kBiasDiff);
  SGF_CHECK(up_bias == nullptr || bias_diff == nullptr, "{}: {} has both lora_B.bias and diff_b", lora.path.string(),
            module);
  if (up_bias == nullptr && bias_diff == nullptr) return;
  LoraChange& change = lora.changes[module + ".bias"];
  change.diff = up_bias ? up_bias : bias_diff;
  change.diff_factor = up_bias ? factor : 1;
}

void check_differences(const LoraFile& lora) {
  for (const auto& [name, change] : lora.changes) {
    if (change.diff == nullptr) continue;
    check_numbers(lora, *change.diff);
    SGF_CHECK(change.down == nullptr || change.shape() == change.diff->shape, "{}: {} is {}, but B A is {}",
              lora.path.string(), in_quotes(change.diff->name), shown_shape(change.diff->shape),
              shown_shape(change.shape()));
  }
}

// Of the world's and Wan's networks, one that has this weight in this shape: "; it fits wan-14b".
std::string fitting_preset(const std::string& weight, const std::vector<int64_t>& shape) {
  for (const std::string& preset : dit_preset_names())
    for (const WeightShape& expected : expected_dit_weights(dit_preset(preset)))
      if (expected.name == weight && expected.shape == shape) return fmt::format(", such as {}", preset);
  return "";
}

std::filesystem::path tensors_in(const std::filesystem::path& path) {
  for (const char* name : {"adapter_model.safetensors", "adapter_model.bin"})
    if (std::filesystem::is_regular_file(path / name)) return path / name;
  return path;
}

// PEFT writes adapter_config.json beside adapter_model.*; of any other file in that folder it says nothing.
std::filesystem::path config_path_of(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) return path / kConfigName;
  return path.stem() == "adapter_model" ? path.parent_path() / kConfigName : std::filesystem::path();
}

std::optional<AdapterConfig> config_inside(const TensorFile& file, const std::filesystem::path& path) {
  const auto found = file.metadata.find(kDiffusersMetadata);
  if (file.container != Container::kSafetensors || found == file.metadata.end()) return std::nullopt;
  return adapter_config_from_json(found->second, path.string() + " metadata", "transformer.");
}

std::optional<AdapterConfig> find_config(const TensorFile& file, const std::filesystem::path& path) {
  const std::filesystem::path beside = config_path_of(path);
  if (std::filesystem::is_regular_file(beside))
    return adapter_config_from_json(MappedFile::open(beside)->text(), beside.string());
  return config_inside(file, path);
}

}  // namespace

LoraUse parse_lora_use(const std::string& text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos || is_there(text)) return {.file = text};
  const std::string number = text.substr(colon + 1);
  LoraUse use{.file = text.substr(0, colon)};
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), use.scale);
  const bool is_scale = error == std::errc() && end == number.data() + number.size() && std::isfinite(use.scale);
  SGF_CHECK(is_scale && !use.file.empty(), "--lora must be FILE or FILE:SCALE with a number, as lora.pt:0.8, got {}",
            in_quotes(text));
  return use;
}

std::vector<int64_t> LoraChange::shape() const {
  if (down == nullptr) return diff->shape;
  std::vector<int64_t> shape = down->shape;
  shape[0] = up->shape[0];
  return shape;
}

std::vector<int64_t> LoraFile::ranks() const {
  std::set<int64_t> ranks;
  for (const auto& [name, change] : changes)
    if (change.down != nullptr) ranks.insert(change.down->shape[0]);
  return {ranks.begin(), ranks.end()};
}

bool is_lora(const TensorFile& file) {
  return std::ranges::any_of(file.entries, [](const TensorEntry& entry) { return looks_like_lora(entry.name); });
}

LoraFile read_lora(TensorFile file, const std::filesystem::path& path, const std::optional<AdapterConfig>& config) {
  LoraFile lora{.path = path, .file = std::move(file), .changes = {}, .left_out = {}, .alpha_from = ""};
  SGF_CHECK(!lora.file.entries.empty(), "{}: holds no tensors", path.string());
  const LoraModules modules = group_tensors(lora);
  bool is_stored = false;
  for (const auto& [module, tensors] : modules) {
    add_changes(lora, module, tensors, config);
    is_stored = is_stored || tensors.of(LoraPart::kAlpha) != nullptr;
  }
  check_differences(lora);
  lora.alpha_from = is_stored ? "tensors" : config && config->alpha ? config->source : "none, alpha = rank is assumed";
  return lora;
}

LoraFile open_lora(const std::filesystem::path& path) {
  SGF_CHECK(std::filesystem::exists(path), "{}: this LoRA does not exist", path.string());
  TensorFile file = open_tensor_file(tensors_in(path));
  const std::optional<AdapterConfig> config = find_config(file, path);
  return read_lora(std::move(file), path, config);
}

std::string alpha_notice_key(const std::filesystem::path& file) { return "alpha of " + file.string(); }

void check_lora_fits(const LoraFile& lora, const DitWeightIndex& base, const std::filesystem::path& base_path) {
  for (const auto& [name, change] : lora.changes) {
    const TensorEntry& named = change.named();
    const auto found = base.tensors.find(name);
    SGF_CHECK(found != base.tensors.end(),
              "{}: {} {} changes {}, which {} does not have; the LoRA is of another base{}: pass that base, or another "
              "LoRA",
              lora.path.string(), in_quotes(named.name), shown_shape(named.shape), name, base_path.string(),
              fitting_preset(name, change.shape()));
    SGF_CHECK(
        found->second->shape == change.shape(),
        "{}: {} {} changes {} by {}, but {} has it as {}; the LoRA is of another base{}: pass that base, or another "
        "LoRA",
        lora.path.string(), in_quotes(named.name), shown_shape(named.shape), name, shown_shape(change.shape()),
        base_path.string(), shown_shape(found->second->shape), fitting_preset(name, change.shape()));
  }
}

}  // namespace sgf
