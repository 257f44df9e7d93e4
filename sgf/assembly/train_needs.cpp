#include "sgf/assembly/train_needs.h"

#include "sgf/dataset/shard_folder.h"
#include "sgf/files/bundled.h"

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
        "the dmd stage needs a student that generates videos: set train.start_from to weights or to the folder of a "
        "teacher_forcing run");
  if (!c.dmd.first_block_given) return;
  if (!c.data.prompts.empty())
    needs.emplace_back(
        "dmd.first_block_given uses first blocks of the world's clips with their own captions: leave data.prompts "
        "empty");
  if (c.output.sample_every > 0 && !c.output.sample_prompts.empty())
    needs.emplace_back(
        "dmd.first_block_given also starts samples from first blocks of the world's clips: leave output.sample_prompts "
        "empty, or set output.sample_every to 0");
}

void add_needs_of_students(const Config& c, std::vector<std::string>& needs) {
  const bool is_consistency = c.train.stage == StageChoice::kCausalCd;
  if (is_consistency && c.distil.teacher.empty())
    needs.emplace_back(
        "the causal_cd stage needs a teacher: set distil.teacher to weights or to the folder of a teacher_forcing run");
  if (!is_consistency && c.data.pairs.empty())
    needs.push_back(fmt::format(
        "the {} stage learns from a teacher's paths: make them with sgf pairs, and set data.pairs to their folder",
        enum_name(c.train.stage)));
  if (c.train.start_from.empty())
    needs.push_back(
        fmt::format("the {} stage starts from a trained network: set train.start_from to weights or a run folder, "
                    "usually its teacher's",
                    enum_name(c.train.stage)));
}

void add_needs_of_clips(const Config& c, std::vector<std::string>& needs) {
  if (!c.data.world.empty())
    needs.push_back(
        fmt::format("data.clips and data.world must not both be set: leave one of them empty, got {} and {}",
                    c.data.clips, c.data.world));
  if (!reads_clips(c.train.stage))
    needs.push_back(fmt::format("the {} stage does not use clips: leave data.clips empty, got {}",
                                enum_name(c.train.stage), c.data.clips));
  if (c.output.sample_every > 0 && c.data.wan.empty())
    needs.emplace_back(
        "samples of a run on data.clips need a VAE: set data.wan to a Wan folder, or output.sample_every to 0");
}

void add_needs_without_world(const Config& c, std::vector<std::string>& needs) {
  const bool is_led_by_prompts = c.train.stage == StageChoice::kDmd || c.train.stage == StageChoice::kBidirectionalOde;
  if (!is_led_by_prompts) {
    needs.push_back(
        fmt::format("the {} stage learns from clips: encode videos with sgf data encode and set data.clips to their "
                    "folder, or set data.world to world-tiny or world-small (base: world-tiny sets the sizes too)",
                    enum_name(c.train.stage)));
    return;
  }
  if (c.data.wan.empty())
    needs.emplace_back(
        "prompts need a text encoder: set data.wan to a Wan folder, or data.world to world-tiny or world-small (base: "
        "world-tiny sets the sizes too)");
  if (c.data.prompts.empty())
    needs.emplace_back("without data.world, set data.prompts to a file with one prompt per line");
  if (c.train.stage == StageChoice::kDmd && c.dmd.first_block_given)
    needs.emplace_back("dmd.first_block_given uses first blocks of the world's clips: set data.world");
}

}  // namespace

bool reads_clips(StageChoice stage) {
  return stage == StageChoice::kFlowMatching || stage == StageChoice::kTeacherForcing ||
         stage == StageChoice::kCausalCd || stage == StageChoice::kCausalOde;
}

bool reads_pairs(StageChoice stage) {
  return stage == StageChoice::kCausalOde || stage == StageChoice::kBidirectionalOde;
}

bool is_student_stage(StageChoice stage) { return reads_pairs(stage) || stage == StageChoice::kCausalCd; }

std::vector<std::string> unmet_needs(const Config& c) {
  std::vector<std::string> needs;
  if (!c.data.clips.empty()) {
    add_needs_of_clips(c, needs);
  } else if (c.data.world.empty()) {
    add_needs_without_world(c, needs);
  }
  if (c.train.stage == StageChoice::kDmd) add_needs_of_dmd(c, needs);
  if (is_student_stage(c.train.stage)) add_needs_of_students(c, needs);
  if (c.train.stage != StageChoice::kDmd && !reads_pairs(c.train.stage) && !c.data.prompts.empty())
    needs.push_back(fmt::format("the {} stage uses the captions of its clips: leave data.prompts empty, got {}",
                                enum_name(c.train.stage), c.data.prompts));
  return needs;
}

std::vector<std::string> missing_files(const Config& c) {
  std::vector<std::string> missing;
  const auto look = [&](const char* key, const std::string& path) {
    if (!path.empty() && !std::filesystem::exists(path))
      missing.push_back(fmt::format("{}: {} does not exist", key, path));
  };
  look("data.prompts", c.data.prompts);
  if (c.data.world.empty()) look("data.wan", c.data.wan);
  if (!c.data.clips.empty() && !std::filesystem::exists(manifest_file(c.data.clips)))
    missing.push_back(
        fmt::format("data.clips: {} does not exist or is incomplete; make it with sgf data encode VIDEOS --captions "
                    "FILE --wan {} --out {}",
                    c.data.clips, c.data.wan.empty() ? "DIR" : c.data.wan, c.data.clips));
  if (reads_pairs(c.train.stage) && !c.data.pairs.empty() && !std::filesystem::exists(manifest_file(c.data.pairs)))
    missing.push_back(fmt::format(
        "data.pairs: {} does not exist or is incomplete; make it with sgf pairs from this config and a teacher",
        c.data.pairs));
  look("train.start_from", find_bundled(c.train.start_from).string());
  if (c.train.stage == StageChoice::kCausalCd) look("distil.teacher", find_bundled(c.distil.teacher).string());
  if (c.train.stage != StageChoice::kDmd) return missing;
  look("dmd.teacher", find_bundled(c.dmd.teacher).string());
  look("dmd.critic", find_bundled(c.dmd.critic).string());
  return missing;
}

}  // namespace sgf
