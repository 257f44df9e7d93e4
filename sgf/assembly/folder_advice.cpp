#include "sgf/assembly/folder_advice.h"

#include "sgf/assembly/preset_folders.h"
#include "sgf/assembly/survey_facts.h"
#include "sgf/assembly/window_source.h"
#include "sgf/config/config.h"
#include "sgf/core/error.h"
#include "sgf/core/shell_argument.h"

#include <fmt/format.h>

#include <algorithm>

namespace sgf {
namespace {

constexpr const char* kPrompt = "\"A red panda rides a bicycle.\"";
constexpr const char* kReleasedPrompts = "prompts/vidprom_filtered_extended.txt";
constexpr const char* kOwnPrompts = "prompts.txt";

bool is_preset_size(const DitConfig& network, const char* preset) {
  return same_size(load_config(preset, {}, preset_folders()).model, network);
}

bool is_usable(const SurveyedWeights& weights) { return weights.dit && weights.problem.empty(); }

bool is_of_world(const SurveyedWeights& weights) { return weights.dit->in_dim != kWanChannels; }

std::string shown(const std::filesystem::path& path) { return shell_argument(path.string()); }

// A Wan folder whose embeddings a network reads.
const WanSurvey* texts_for(const FolderSurvey& survey, const DitConfig& network) {
  const auto found = std::ranges::find_if(survey.wans, [&](const WanSurvey& wan) {
    return wan.gives_text_and_video() && wan.text_dim == network.text_dim;
  });
  return found == survey.wans.end() ? nullptr : &*found;
}

// Teachers and critics read what the network to train reads.
bool can_score(const WanSurvey& wan, const DitConfig& student) {
  return wan.has("DiT") && wan.dit && wan.dit->text_dim == student.text_dim && wan.dit->in_dim == student.in_dim;
}

const WanSurvey* largest_teacher(const FolderSurvey& survey, const DitConfig& student) {
  const WanSurvey* largest = nullptr;
  for (const WanSurvey& wan : survey.wans)
    if (can_score(wan, student) && (largest == nullptr || wan.dit->dim > largest->dit->dim)) largest = &wan;
  return largest;
}

// A critic starts from a network of the student's size.
const WanSurvey* critic_for(const FolderSurvey& survey, const DitConfig& student) {
  const auto found = std::ranges::find_if(
      survey.wans, [&](const WanSurvey& wan) { return can_score(wan, student) && same_size(*wan.dit, student); });
  return found == survey.wans.end() ? nullptr : &*found;
}

// The preset that trains this network in blocks of its window; "" if there is none.
std::string training_preset(const SurveyedWeights& start) {
  const DitConfig& network = *start.dit;
  int64_t block = 0;
  try {
    block = load_config(start.config, {}, preset_folders()).context.block_frames;
  } catch (const Error&) {  // a config that lies beside the weights and is refused
    return "";
  }
  if (is_preset_size(network, "wan-tiny") && block == 3) return "wan-tiny";
  if (is_preset_size(network, "wan-14b") && block == 3) return "wan-14b-chunkwise";
  if (!is_preset_size(network, "wan-1.3b") || (block != 1 && block != 3)) return "";
  return block == 1 ? "wan-1.3b-framewise" : "wan-1.3b-chunkwise";
}

class Adviser {
 public:
  explicit Adviser(const FolderSurvey& survey) : survey_(survey) {}

  FolderAdvice advice() {
    add_generate();
    add_sample();
    add_text();
    add_train();
    return std::move(advice_);
  }

 private:
  // Students whose window is known come first, then those with a Wan folder.
  const SurveyedWeights* student() const {
    const auto rank = [&](const SurveyedWeights& weights) {
      const bool is_whole = is_of_world(weights) || texts_for(survey_, *weights.dit) != nullptr;
      return (weights.config.empty() && !is_of_world(weights) ? 2 : 0) + (is_whole ? 0 : 1);
    };
    const SurveyedWeights* best = nullptr;
    for (const SurveyedWeights& weights : survey_.weights)
      if (is_usable(weights) && !weights.is_many_step && (best == nullptr || rank(weights) < rank(*best)))
        best = &weights;
    return best;
  }

  void add_generate() {
    const SurveyedWeights* one = student();
    if (one == nullptr)
      return cannot(
          "sgf generate: needs a causal few-step student: hf download JunhaoZhuang/Self_Gradient_Forcing "
          "chunkwise/ar/model.pt --local-dir checkpoints");
    if (is_of_world(*one)) return can(fmt::format("sgf generate --model {}", shown(one->file)));
    const WanSurvey* texts = texts_for(survey_, *one->dit);
    if (texts == nullptr)
      return cannot(fmt::format(
          "sgf generate: needs a Wan folder with text encoder, tokenizer and VAE, and embeddings of width {} for {}",
          one->dit->text_dim, one->file.string()));
    if (one->config.empty())
      return cannot(
          fmt::format("sgf generate: add --config with one of the presets above: sgf generate --model {} "
                      "--wan {} --prompt {}",
                      shown(one->file), shown(texts->folder), kPrompt));
    can(fmt::format("sgf generate --model {} --wan {}{} --prompt {}", shown(one->file), shown(texts->folder),
                    is_preset_size(*one->dit, "wan-tiny") ? " --size 64x64" : "", kPrompt));
  }

  void add_sample() {
    for (const WanSurvey& wan : survey_.wans)
      if (wan.gives_text_and_video() && wan.has("DiT") && wan.dit && wan.dit->text_dim == wan.text_dim)
        return can(
            fmt::format("sgf sample --model {}{} --mode at-once --solver unipc --guidance 6 --prompt {} --out "
                        "samples",
                        shown(wan.folder), is_preset_size(*wan.dit, "wan-tiny") ? " --config wan-tiny" : "", kPrompt));
  }

  void add_text() {
    for (const WanSurvey& wan : survey_.wans)
      if (wan.gives_text_and_video()) return can(fmt::format("sgf text {} --wan {}", kPrompt, shown(wan.folder)));
  }

  // A many-step start is what few-step training is meant for.
  const SurveyedWeights* start() const {
    const auto found = std::ranges::find_if(survey_.weights, [](const SurveyedWeights& weights) {
      return is_usable(weights) && weights.is_many_step && !is_of_world(weights);
    });
    if (found != survey_.weights.end()) return &*found;
    const SurveyedWeights* few_step = student();
    return few_step == nullptr || is_of_world(*few_step) ? nullptr : few_step;
  }

  void add_train() {
    const SurveyedWeights* one = start();
    const WanSurvey* texts = one == nullptr ? nullptr : texts_for(survey_, *one->dit);
    const WanSurvey* teacher = one == nullptr ? nullptr : largest_teacher(survey_, *one->dit);
    if (texts == nullptr || teacher == nullptr)
      return cannot(
          "sgf train: needs a teacher (the DiT of a Wan folder), text encoder and VAE, and a student to start from");
    const WanSurvey* critic = critic_for(survey_, *one->dit);
    if (critic == nullptr)
      return cannot(fmt::format("sgf train: needs a critic of the size of {}: the DiT of a Wan folder of that size",
                                one->file.string()));
    const std::string preset = one->config.empty() ? "" : training_preset(*one);
    if (preset.empty())
      return cannot(fmt::format("sgf train: needs a config with the size and the window of {}; no preset has both",
                                one->file.string()));
    can(
        fmt::format("sgf train {} --out runs/first --set train.steps=1 --set train.global_batch=1 --set "
                    "output.sample_every=0 --set data.wan={} --set data.prompts={} --set train.start_from={} --set "
                    "dmd.teacher={}{}",
                    preset, shown(texts->folder), prompts(), shown(one->file), shown(teacher->folder),
                    critic == teacher ? "" : fmt::format(" --set dmd.critic={}", shown(critic->folder))));
  }

  // The release's prompts if they are there, else a file that a command before makes.
  std::string prompts() {
    if (is_there(kReleasedPrompts)) return kReleasedPrompts;
    if (!is_there(kOwnPrompts)) can(fmt::format("echo {} > {}", kPrompt, kOwnPrompts));
    return kOwnPrompts;
  }

  void can(std::string command) { advice_.can.push_back(std::move(command)); }
  void cannot(std::string reason) { advice_.cannot.push_back(std::move(reason)); }

  const FolderSurvey& survey_;
  FolderAdvice advice_;
};

}  // namespace

FolderAdvice advise(const FolderSurvey& survey) { return Adviser(survey).advice(); }

}  // namespace sgf
