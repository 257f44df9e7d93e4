#include "sgf/assembly/wan_survey.h"

#include "sgf/assembly/survey_facts.h"
#include "sgf/core/error.h"
#include "sgf/core/shell_argument.h"
#include "sgf/files/path_kind.h"
#include "sgf/files/tensor_file.h"
#include "sgf/text/tokenizer.h"
#include "sgf/text/umt5_names.h"
#include "sgf/vae/vae_report.h"
#include "sgf/weights/stored_config.h"
#include "sgf/weights/wan_folder.h"
#include "sgf/weights/weight_report.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>

namespace sgf {
namespace {

namespace fs = std::filesystem;

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

void look_at_encoder(SurveyedPart& part, WanSurvey& survey) {
  const TensorFile file = open_tensor_file(part.file);
  part.bytes = bytes_of(file);
  const Umt5Index index = index_umt5(file);
  survey.text_dim = index.config.dim;
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
  part.problem = report->config ? faults_of(report->faults.missing, report->faults.mismatched) : report->problem;
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
      [&] { return wan.text_encoder(); }, [&](SurveyedPart& part) { look_at_encoder(part, survey); }));
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

}  // namespace

bool WanSurvey::has(const std::string& name) const {
  const auto part = std::ranges::find(parts, name, &SurveyedPart::name);
  return part != parts.end() && part->state == PartState::kComplete;
}

bool WanSurvey::is_broken() const {
  return !problem.empty() ||
         std::ranges::any_of(parts, [](const SurveyedPart& part) { return part.state == PartState::kBroken; });
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

void check_text_files(const fs::path& encoder, const fs::path& tokenizer) {
  const int64_t pieces = Tokenizer(tokenizer).vocabulary();
  const TensorFile file = open_tensor_file(encoder);
  // What else is wrong with the encoder is said when it is opened for use, which is before the GPU too.
  if (const std::optional<Umt5Index> index = find_umt5(file); index && index->config.vocabulary > 0)
    check_vocabulary(pieces, index->config.vocabulary, tokenizer);
}

}  // namespace sgf
