#include "sgf/assembly/wan_survey.h"

#include "sgf/assembly/start_file.h"
#include "sgf/assembly/window_source.h"
#include "sgf/core/error.h"
#include "sgf/core/shell_argument.h"
#include "sgf/files/mapped_file.h"
#include "sgf/files/tensor_file.h"
#include "sgf/runs/checkpoint_store.h"
#include "sgf/runs/run_folder.h"
#include "sgf/text/tokenizer.h"
#include "sgf/text/umt5_names.h"
#include "sgf/vae/vae_report.h"
#include "sgf/weights/lora_file.h"
#include "sgf/weights/stored_config.h"
#include "sgf/weights/wan_folder.h"
#include "sgf/weights/weight_folder.h"
#include "sgf/weights/weight_report.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

namespace sgf {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 4;
constexpr size_t kMostWeights = 100;
constexpr int64_t kWanChannels = 16;

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool is_regular(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

uint64_t bytes_of(const fs::path& path) {
  std::error_code ignored;
  if (!is_folder(path)) {
    const uintmax_t bytes = fs::file_size(path, ignored);
    return ignored ? 0 : bytes;  // of a pipe, the largest number
  }
  uint64_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(path, ignored))
    if (entry.is_regular_file(ignored)) bytes += entry.file_size(ignored);
  return bytes;
}

uint64_t bytes_of(const TensorFile& file) {
  uint64_t bytes = 0;
  for (const auto& mapped : file.files) bytes += mapped->bytes().size();
  return bytes;
}

std::string dtypes_of(const TensorFile& file) {
  std::map<std::string, int64_t> counts;
  for (const TensorEntry& entry : file.entries) counts[std::string(name_of(entry.dtype))] += 1;
  std::vector<std::string> parts;
  for (const auto& [name, count] : counts) parts.push_back(fmt::format("{} tensors {}", count, name));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// "blocks.0.ffn.0.weight is missing; ... and 12 more problems"
std::string first_faults(std::vector<std::string> faults) {
  constexpr size_t kShown = 3;
  const size_t total = faults.size();
  faults.resize(std::min(total, kShown));
  return fmt::format("{}{}", fmt::join(faults, "; "),
                     total > kShown ? fmt::format("; and {} more problems", total - kShown) : "");
}

std::vector<std::string> faults_of(const std::vector<std::string>& missing,
                                   const std::vector<std::string>& mismatched) {
  std::vector<std::string> faults = mismatched;
  for (const std::string& name : missing) faults.push_back(name + " is missing");
  return faults;
}

std::string faults_of(const DitReport& dit) {
  if (!dit.unsupported.empty()) return dit.unsupported;
  if (!dit.config) return dit.config_source;
  return first_faults(faults_of(dit.missing, dit.mismatched));
}

std::string size_of(const DitReport& dit) {
  if (!dit.preset.empty()) return dit.preset;
  return dit.config ? fmt::format("DiT of dim {} with {} layers", dit.config->dim, dit.config->num_layers)
                    : "DiT of unknown size";
}

void look_at_dit(SurveyedPart& part, WanSurvey& survey) {
  const TensorFile file = open_tensor_file(part.file);
  const WeightReport report = report_weights(file, part.file);
  part.bytes = bytes_of(file);
  const auto role = std::ranges::find_if(report.roles, [](const RoleReport& r) { return r.dit.has_value(); });
  SGF_CHECK(role != report.roles.end(), "{}: contains no Wan DiT", part.file.string());
  part.content = fmt::format("{}, {}", size_of(*role->dit), dtypes_of(file));
  part.problem = report.problem.empty() ? faults_of(*role->dit) : report.problem;
  survey.dit = role->dit->config;
}

void look_at_encoder(SurveyedPart& part) {
  const TensorFile file = open_tensor_file(part.file);
  part.bytes = bytes_of(file);
  const Umt5Index index = index_umt5(file);
  part.content = fmt::format("{}dim {}, {} layers, {} embeddings, {}", index.config == kWanUmt5 ? "umt5-xxl: " : "",
                             index.config.dim, index.config.num_layers, index.config.vocabulary, dtypes_of(file));
}

void look_at_vae(SurveyedPart& part) {
  const TensorFile file = open_tensor_file(part.file);
  part.bytes = bytes_of(file);
  const std::optional<VaeReport> report = report_vae(file);
  SGF_CHECK(report.has_value(), "{}: contains no Wan VAE", part.file.string());
  part.content = report->config ? fmt::format("dim {}, {} latent channels, {}", report->config->dim,
                                              report->config->z_dim, dtypes_of(file))
                                : "Wan VAE of unknown size";
  part.problem =
      report->config ? first_faults(faults_of(report->faults.missing, report->faults.mismatched)) : report->problem;
}

// UMT5's table has 384 rows more than its tokenizer has pieces, for symbols that are added later. The tokenizers of T5
// (32,000 pieces) and mT5 (250,100) read text just as well, and would give prompts the embeddings of other words.
void check_vocabulary(int64_t pieces, int64_t rows, const fs::path& tokenizer) {
  const int64_t most_spare = std::min<int64_t>(1024, rows / 8);
  SGF_CHECK(pieces <= rows && rows - pieces <= most_spare,
            "{}: is the tokenizer of another model: it has {} pieces, and the text encoder has embeddings for {}; "
            "expected google/umt5-xxl/spiece.model of the same download",
            tokenizer.string(), pieces, rows);
}

void look_at_tokenizer(SurveyedPart& part, const fs::path& encoder) {
  part.content = fmt::format("SentencePiece, {} pieces", Tokenizer(part.file).vocabulary());
  if (!encoder.empty()) check_text_files(encoder, part.file);
}

// Finds the part and looks at it; a missing one and a broken one differ by whether there is a path.
SurveyedPart survey_part(SurveyedPart part, const std::function<fs::path()>& find,
                         const std::function<void(SurveyedPart&)>& look) {
  try {
    part.file = find();
  } catch (const Error&) {
    return part;
  }
  try {
    part.bytes = bytes_of(part.file);
    look(part);
  } catch (const Error& error) {
    part.problem = error.what();
  }
  part.state = part.problem.empty() ? PartState::kComplete : PartState::kBroken;
  return part;
}

// Of config.json, which is there before the shards of a download.
std::optional<int64_t> dim_in_config(const fs::path& folder) {
  const StoredConfig stored = find_stored_config({}, folder);
  return stored.config ? std::optional<int64_t>(stored.config->dim) : std::nullopt;
}

std::string repository_of(const WanSurvey& survey) {
  const std::string folder = survey.folder.string();
  const std::optional<int64_t> dim = survey.dit ? survey.dit->dim : dim_in_config(survey.folder);
  const bool is_large = dim ? *dim == dit_preset("wan-14b").dim : folder.find("14B") != std::string::npos;
  return is_large ? "Wan-AI/Wan2.1-T2V-14B" : "Wan-AI/Wan2.1-T2V-1.3B";
}

// hf skips what is there. A diffusers pipeline has other names for its parts, so it is named as a whole.
std::string download_of(const WanSurvey& survey, const std::string& file) {
  const bool is_diffusers = is_there(survey.folder / "model_index.json");
  return fmt::format("hf download {}{} --local-dir {}", repository_of(survey), is_diffusers ? "-Diffusers" : file,
                     shell_argument(survey.folder.string()));
}

void add_parts(WanSurvey& survey) {
  const WanFolder wan(survey.folder);
  survey.parts.push_back(survey_part(
      {.name = "DiT",
       .file = {},
       .content = {},
       .problem = {},
       .purpose = "sgf sample; teacher and critic of sgf train",
       .downloads = ""},
      [&] { return wan.dit(); }, [&](SurveyedPart& part) { look_at_dit(part, survey); }));
  survey.parts.push_back(survey_part(
      {.name = "text encoder",
       .file = {},
       .content = {},
       .problem = {},
       .purpose = "prompts",
       .downloads = " models_t5_umt5-xxl-enc-bf16.pth"},
      [&] { return wan.text_encoder(); }, look_at_encoder));
  const fs::path encoder = survey.has("text encoder") ? survey.parts.back().file : fs::path();
  survey.parts.push_back(survey_part(
      {.name = "tokenizer",
       .file = {},
       .content = {},
       .problem = {},
       .purpose = "prompts",
       .downloads = " google/umt5-xxl/spiece.model"},
      [&] { return wan.tokenizer(); }, [&](SurveyedPart& part) { look_at_tokenizer(part, encoder); }));
  survey.parts.push_back(survey_part(
      {.name = "VAE",
       .file = {},
       .content = {},
       .problem = {},
       .purpose = "latents to frames and back",
       .downloads = " Wan2.1_VAE.pth"},
      [&] { return wan.vae(); }, look_at_vae));
  for (SurveyedPart& part : survey.parts) part.downloads = download_of(survey, part.downloads);
}

std::string roles_of(const WeightReport& report) {
  std::vector<std::string> roles;
  for (const RoleReport& role : report.roles)
    if (role.dit) roles.push_back(fmt::format("{} ({})", shown_role(role.name), size_of(*role.dit)));
  return fmt::format("{}", fmt::join(roles, ", "));
}

// Networks of the built-in worlds have a size for each window.
void find_window(SurveyedWeights& weights, const DitConfig& network) {
  if (network.in_dim != kWanChannels) return;
  try {
    if (const auto source = find_window_source(weights.file)) {
      weights.window = fmt::format("{}, because {}", source->config, source->reason);
      weights.is_many_step = source->is_many_step;
    } else {
      weights.choices = window_choices(network);
    }
  } catch (const ModelQuestion& question) {
    weights.choices = question.choices();
  }
}

bool is_weight_file(const fs::path& path) {
  return path.extension() == ".pt" || path.extension() == ".pth" || path.extension() == ".safetensors";
}

bool is_training_run(const fs::path& folder) { return is_run_folder(folder) && is_folder(folder / "checkpoints"); }

bool is_checkpoint(const fs::path& folder) {
  return is_there(folder / "state.json") && is_there(folder / "generator.safetensors");
}

// The networks of a checkpoint are one model: its critic and its optimisers are no students.
SurveyedWeights survey_checkpoint(const fs::path& folder) {
  SurveyedWeights weights = survey_weights(find_start_file(folder).path);
  const fs::path run = folder.parent_path().parent_path();
  if (!weights.is_dit || !is_run_folder(run)) return weights;
  const std::string config = (run / "config.yaml").string();
  try {
    const StageChoice stage = parse_config(MappedFile::open(config)->text(), config).train.stage;
    weights.is_many_step = stage == StageChoice::kFlowMatching || stage == StageChoice::kTeacherForcing;
    weights.window = fmt::format("{}, because it is the run's", config);
    weights.choices.clear();
  } catch (const Error& error) {
    weights.problem = error.what();
  }
  return weights;
}

// By its newest checkpoint whose sizes are right; hashes are left to the commands that use it.
SurveyedWeights survey_run(const fs::path& run) {
  const CheckpointStore checkpoints(run / "checkpoints");
  SurveyedWeights weights;
  if (const std::optional<int64_t> step = checkpoints.newest()) {
    weights = survey_checkpoint(checkpoints.folder_of(*step));
    weights.content = fmt::format("run, checkpoint of step {}: {}", *step, weights.content);
  } else {
    const std::vector<DamagedCheckpoint> damaged = checkpoints.survey().damaged;
    weights.content = "run without a whole checkpoint";
    if (!damaged.empty()) weights.problem = "its checkpoints are damaged: " + damaged.back().description;
  }
  weights.file = run;
  return weights;
}

// `seen` has the folders looked at, without links: links may form a cycle.
void survey_below(FolderSurvey& survey, const fs::path& folder, int depth, std::set<fs::path>& seen) {
  std::error_code error;
  if (const fs::path real = fs::canonical(folder, error); !error && !seen.insert(real).second) return;
  if (looks_like_wan_folder(folder)) {
    survey.wans.push_back(survey_wan(folder));
    return;
  }
  if (is_training_run(folder)) return survey.weights.push_back(survey_run(folder));
  if (is_checkpoint(folder)) return survey.weights.push_back(survey_checkpoint(folder));
  std::vector<fs::path> entries;
  error.clear();
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    entries.push_back(it->path());
  std::ranges::sort(entries);
  for (const fs::path& entry : entries) {
    if (entry.filename().string().starts_with('.')) continue;
    if (is_folder(entry) && depth < kDeepest) survey_below(survey, entry, depth + 1, seen);
    if (!is_folder(entry) && is_weight_file(entry) && survey.weights.size() < kMostWeights)
      survey.weights.push_back(survey_weights(entry));
  }
}

}  // namespace

bool WanSurvey::has(const std::string& name) const {
  const auto part = std::ranges::find(parts, name, &SurveyedPart::name);
  return part != parts.end() && part->state == PartState::kComplete;
}

bool WanSurvey::is_broken() const {
  return !problem.empty() ||
         std::ranges::any_of(parts, [](const SurveyedPart& part) { return part.state == PartState::kBroken; });
}

bool FolderSurvey::is_broken() const {
  return std::ranges::any_of(wans, &WanSurvey::is_broken) ||
         std::ranges::any_of(weights, [](const SurveyedWeights& file) { return !file.problem.empty(); });
}

bool has_base_model(const fs::path& folder) {
  constexpr std::array kBeside{"Wan2.1_VAE.pth", "models_t5_umt5-xxl-enc-bf16.pth", "google", "model_index.json"};
  return is_folder(folder) && std::ranges::any_of(kBeside, [&](const char* name) { return is_there(folder / name); });
}

bool looks_like_wan_folder(const fs::path& folder) {
  constexpr std::array kDits{"diffusion_pytorch_model.safetensors", "diffusion_pytorch_model.safetensors.index.json"};
  return has_base_model(folder) ||
         std::ranges::any_of(kDits, [&](const char* name) { return is_there(folder / name); });
}

WanSurvey survey_wan(const fs::path& folder) {
  WanSurvey survey{.folder = folder, .problem = {}, .parts = {}, .dit = std::nullopt};
  try {
    add_parts(survey);
  } catch (const Error& error) {
    survey.problem = error.what();
  }
  return survey;
}

SurveyedWeights survey_weights(const fs::path& path) {
  SurveyedWeights weights{.file = path, .content = {}, .problem = {}, .window = {}, .choices = {}};
  try {
    SGF_CHECK(is_folder(path) || is_regular(path), "{}: is not a regular file, expected a weight file", path.string());
    const TensorFile file = open_tensor_file(path);
    const WeightReport report = report_weights(file, path);
    weights.bytes = bytes_of(file);
    const auto role = std::ranges::find_if(report.roles, [](const RoleReport& r) { return r.dit.has_value(); });
    weights.is_dit = role != report.roles.end();
    weights.content = weights.is_dit ? fmt::format("{}; {}", roles_of(report), dtypes_of(file)) : report.written_by;
    weights.problem = report.problem;
    if (!weights.is_dit && is_lora(file)) weights.content = "LoRA: " + describe(open_lora(path));
    if (!weights.is_dit || !weights.problem.empty()) return weights;
    weights.problem = faults_of(*role->dit);
    if (weights.problem.empty()) find_window(weights, *role->dit->config);
  } catch (const Error& error) {
    weights.bytes = bytes_of(path);
    weights.problem = error.what();
  }
  return weights;
}

FolderSurvey survey_folder(const fs::path& path) {
  SGF_CHECK(is_there(path), "{}: no such file or folder", path.string());
  FolderSurvey survey;
  std::set<fs::path> seen;
  if (is_folder(path))
    survey_below(survey, path, 0, seen);
  else
    survey.weights.push_back(survey_weights(path));
  return survey;
}

void check_text_files(const fs::path& encoder, const fs::path& tokenizer) {
  const int64_t pieces = Tokenizer(tokenizer).vocabulary();
  const TensorFile file = open_tensor_file(encoder);
  // What else is wrong with the encoder is said when it is opened for use, which is before the GPU too.
  if (const std::optional<Umt5Index> index = find_umt5(file); index && index->config.vocabulary > 0)
    check_vocabulary(pieces, index->config.vocabulary, tokenizer);
}

}  // namespace sgf
