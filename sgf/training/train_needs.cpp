#include "sgf/training/train_needs.h"

#include <fmt/format.h>

#include <filesystem>

namespace sgf {
namespace {

void add_needs_of_dmd(const Config& c, std::vector<std::string>& needs) {
  if (c.dmd.teacher.empty())
    needs.emplace_back(
        "the dmd stage needs a teacher: set dmd.teacher to weights or to the folder of a flow_matching run");
  if (c.train.start_from.empty())
    needs.emplace_back(
        "the dmd stage needs a student that can make videos: set train.start_from to weights or to the folder of a "
        "teacher_forcing run");
  if (!c.dmd.first_block_given) return;
  if (!c.data.prompts.empty())
    needs.emplace_back(
        "dmd.first_block_given takes first blocks of the world's clips, which belong to its own captions: leave "
        "data.prompts empty");
  if (c.output.sample_every > 0 && !c.output.sample_prompts.empty())
    needs.emplace_back(
        "dmd.first_block_given starts samples from first blocks of the world's clips too: leave output.sample_prompts "
        "empty, or set output.sample_every to 0");
}

void add_needs_of_students(const Config& c, std::vector<std::string>& needs) {
  const bool is_consistency = c.train.stage == StageChoice::kCausalCd;
  if (is_consistency && c.distil.teacher.empty())
    needs.emplace_back(
        "the causal_cd stage needs a teacher: set distil.teacher to weights or to the folder of a teacher_forcing run");
  if (!is_consistency && c.data.pairs.empty())
    needs.push_back(
        fmt::format("the {} stage learns a teacher's paths: make them with sgf pairs, and set data.pairs to "
                    "their folder",
                    enum_name(c.train.stage)));
  if (c.train.start_from.empty())
    needs.push_back(
        fmt::format("the {} stage goes on from a trained network: set train.start_from to weights or a run "
                    "folder, mostly those of its teacher",
                    enum_name(c.train.stage)));
}

void add_needs_without_world(const Config& c, std::vector<std::string>& needs) {
  if (c.train.stage != StageChoice::kDmd) {
    needs.push_back(
        fmt::format("the {} stage reads clips from the built-in world so far: set data.world to world-tiny "
                    "or world-small (base: world-tiny sets the sizes too)",
                    enum_name(c.train.stage)));
    return;
  }
  if (c.data.wan.empty())
    needs.emplace_back(
        "prompts need a text encoder: set data.wan to a Wan folder, or data.world to world-tiny or world-small (base: "
        "world-tiny sets the sizes too)");
  if (c.data.prompts.empty())
    needs.emplace_back("without a world prompts come from a file: set data.prompts to one, a prompt a line");
  if (c.dmd.first_block_given)
    needs.emplace_back("dmd.first_block_given takes first blocks of the world's clips: set data.world");
}

}  // namespace

bool is_student_stage(StageChoice stage) {
  return stage == StageChoice::kCausalOde || stage == StageChoice::kBidirectionalOde || stage == StageChoice::kCausalCd;
}

std::vector<std::string> unmet_needs(const Config& c) {
  std::vector<std::string> needs;
  if (c.data.world.empty()) add_needs_without_world(c, needs);
  if (c.train.stage == StageChoice::kDmd) add_needs_of_dmd(c, needs);
  if (is_student_stage(c.train.stage)) add_needs_of_students(c, needs);
  const bool reads_pairs = c.train.stage == StageChoice::kCausalOde || c.train.stage == StageChoice::kBidirectionalOde;
  if (c.train.stage != StageChoice::kDmd && !reads_pairs && !c.data.prompts.empty())
    needs.push_back(fmt::format("the {} stage learns clips with their own captions: leave data.prompts empty, got {}",
                                enum_name(c.train.stage), c.data.prompts));
  return needs;
}

std::vector<std::string> missing_files(const Config& c) {
  std::vector<std::string> missing;
  const auto look = [&](const char* key, const std::string& path) {
    if (!path.empty() && !std::filesystem::exists(path))
      missing.push_back(fmt::format("{}: {} is not there", key, path));
  };
  look("data.prompts", c.data.prompts);
  if (c.data.world.empty()) look("data.wan", c.data.wan);
  look("train.start_from", c.train.start_from);
  if (is_student_stage(c.train.stage)) {
    look("distil.teacher", c.distil.teacher);
    look("data.pairs", c.data.pairs);
  }
  if (c.train.stage != StageChoice::kDmd) return missing;
  look("dmd.teacher", c.dmd.teacher);
  look("dmd.critic", c.dmd.critic);
  return missing;
}

}  // namespace sgf
