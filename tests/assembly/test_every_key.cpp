// Every key of a config changes what is built of it: a key that nobody reads fails here.
#include "sgf/assembly/networks_from_config.h"
#include "sgf/assembly/start_file.h"
#include "sgf/core/device.h"
#include "sgf/core/error.h"
#include "sgf/streaming/stream_parts.h"
#include "sgf/training/build_stage.h"
#include "sgf/training/run/run_record.h"
#include "tests/core/temporary_folder.h"
#include "tests/training/small_run.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

namespace sgf {
namespace {

namespace fs = std::filesystem;
using testing::small_run;
using testing::TemporaryFolder;
using testing::train;

// What is built is shown as text, taken from the built things alone and never from the config.
std::string shown(const SigmaRule& s) { return fmt::format("{} {} {}", enum_name(s.lookup), s.shift, s.entries); }

std::string shown(const ContextPolicy& p) { return fmt::format("sink {} fifo {}", p.sink_frames, p.fifo_frames); }

std::string shown(const BlockLayout& l) {
  return fmt::format("{} frames in {} blocks, first {}, largest {}", l.frames(), l.count(), l.block(0).frames(),
                     l.largest_block());
}

std::string shown(const RolloutSettings& r) {
  return fmt::format("rollout: {}; {}; {} {}; {}; {}", shown(r.policy), shown(r.layout), r.first_timesteps, r.timesteps,
                     enum_name(r.cache), shown(r.sigma));
}

std::string shown(const LearnerSettings& l) {
  const OptimiserSettings& o = l.optimiser;
  return fmt::format("{} {} {} {} {} {}; {} {} {} {}; {} {}", o.learning_rate, o.beta1, o.beta2, o.weight_decay, o.eps,
                     o.clip_norm, o.warmup_steps, enum_name(o.decay), o.final_share, l.total_steps, l.limits.factor,
                     l.limits.stop_after);
}

std::string shown(const SingleNetworkSettings& s) {
  return fmt::format("{}\nema {} {} batch {} {} recorded {}", shown(s.generator), s.ema_decay, s.ema_start_step,
                     s.batch.global, s.batch.micro, s.record_launches);
}

std::string shown(const DmdStageSettings& s) {
  const DmdSettings& d = s.dmd;
  return fmt::format(
      "{}\nexits {} {} boundary {} guidance {} score {} {} {}\n{}\n{}\nupdates {} {} {} ema {} {} batch {} {} recovery "
      "{} {} recorded {} seed {} latent {}",
      shown(d.rollout), d.first_exit, enum_name(d.exits), enum_name(d.boundary), d.guidance, d.score.shift,
      d.score.least, d.score_above_next_step, shown(s.generator), shown(s.critic), s.schedule.generator_every,
      s.schedule.generator_at_zero, s.schedule.critic_only, s.ema_decay, s.ema_start_step, s.batch.global,
      s.batch.micro, s.recovery.warn_over, s.recovery.stop_over, s.record_launches, s.seed, s.latent);
}

std::string shown(const ClipStageSettings& s) {
  return fmt::format("{}\n{} seed {} {}; {}; {} sampler {} {} {}", shown(s.update), s.is_causal, s.seed, shown(s.sigma),
                     shown(s.policy), shown(s.layout), s.sampler.steps, s.sampler.shift, s.sampler.guidance);
}

std::string shown(const OdeStageSettings& s) {
  return fmt::format("{}\n{} seed {} {} {}", shown(s.update), s.is_causal, s.seed, shown(s.rollout), s.latent);
}

std::string shown(const ConsistencyStageSettings& s) {
  return fmt::format("{}\nseed {} guidance {} grid {} {} {} negative {}", shown(s.update), s.seed, s.guidance,
                     s.grid.sigmas, shown(s.rollout), s.latent, s.negative_text.abs().sum().item<double>());
}

std::string shown(const LatentStreamSettings& s) {
  return fmt::format("stream: {}; {} {}; blocks of {} after {}; {} {}; {}; {}", shown(s.policy),
                     enum_name(s.positions.kind), s.positions.train_frames, s.block_frames, s.first_block_frames,
                     s.first_timesteps, s.timesteps, s.latent, shown(s.sigma));
}

std::string shown(const DueOutputs& due) { return fmt::format("{}{}{} ", due.samples, due.checkpoint, due.report); }

// The words of what cannot be built are shown in its place: they tell which file was looked for.
template <class Build>
std::string built_or_refused(const Build& build) {
  try {
    return build() + "\n";
  } catch (const Error& error) {
    return fmt::format("refused: {}\n", error.what());
  }
}

// Networks, streams and settings.
std::string what_is_built(const Config& c) {
  std::string text = built_or_refused([&] { return device_of(c.run.device).str(); });
  text += built_or_refused([&] {
    const CausalDit dit = build_network(c, "", at::kCPU);
    const double first = dit.weights().head.weight.to(at::kDouble).sum().item<double>();
    return fmt::format("{} {} {} {} {}", to_json(dit.config()), c10::toString(dit.weights().head.weight.scalar_type()),
                       enum_name(dit.options().attention), enum_name(dit.options().activations), first);
  });
  text += built_or_refused([&] {
    const PictureSize size = picture_size(c);
    return fmt::format("{} {}x{} {}", shown(latent_settings({.config = c})), size.height, size.width, blocks_for(2, c));
  });
  for (int64_t step = 1; step <= 12; ++step) text += shown(due_after(step, 100, c.output));
  text += built_or_refused([&] { return shown(dmd_stage_settings(c)); });
  text += built_or_refused([&] { return shown(ode_stage_settings(c)); });
  text += built_or_refused([&] {
    const Conditioning conditioning = build_conditioning(c, at::kCPU);
    return fmt::format("{}\n{}\n{}", shown(clip_stage_settings(c, conditioning)),
                       shown(consistency_stage_settings(c, conditioning, at::kCPU)), conditioning.sample_prompts);
  });
  return text;
}

// The numbers of the stage's first step.
std::string first_step(const Config& c) {
  return built_or_refused([&] {
    const Conditioning conditioning = build_conditioning(c, at::kCPU);
    return fmt::format("{}", build_stage(c, conditioning, at::kCPU)->step(0).metrics);
  });
}

// Files of a run of a few steps, and the threads it ran on.
std::string what_a_run_leaves(const Config& c) {
  const TemporaryFolder folder;
  train(c, folder / "run");
  std::set<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder / "run")) {
    const std::string name = entry.path().lexically_relative(folder.path()).parent_path().string();
    if (entry.is_regular_file()) files.insert(name);
  }
  return fmt::format("{} on {} threads", files, at::get_num_threads());
}

enum class Look { kBuilt, kFirstStep, kRun };

std::string look_at(Look look, const Config& c) {
  at::set_num_threads(2);
  if (look == Look::kBuilt) return what_is_built(c);
  return look == Look::kFirstStep ? first_step(c) : what_a_run_leaves(c);
}

// Which run a key is changed in.
enum class Base {
  kDmd,
  kDmdOnPrompts,  // a Wan folder and a file of prompts in place of the world
  kClips,
  kEncodedClips,
  kConsistency,
  kPaths,
};

struct KeyCase {
  std::string value;  // as --set takes it
  Base base = Base::kDmd;
  std::vector<Look> looks = {Look::kBuilt, Look::kFirstStep};  // one of them must change
};

const std::vector<Look> kRun = {Look::kRun};

const std::map<std::string, KeyCase>& cases() {
  static const std::map<std::string, KeyCase> all{
      {"model.dim", {"36"}},
      {"model.ffn_dim", {"32"}},
      {"model.freq_dim", {"32"}},
      {"model.text_dim", {"16"}},
      {"model.text_len", {"8"}},
      {"model.num_heads", {"3"}},
      {"model.num_layers", {"2"}},
      {"model.in_dim", {"11"}},
      {"model.out_dim", {"11"}},
      {"model.patch_size", {"[1, 1, 2]"}},
      {"model.eps", {"1.0e-05"}},
      {"context.sink_frames", {"2"}},
      {"context.fifo_frames", {"5"}},
      {"context.block_frames", {"2"}},
      {"context.first_block_frames", {"6"}},
      {"context.positions", {"contiguous"}},
      {"context.train_frames", {"13"}},
      {"schedule.shift", {"4"}},
      {"schedule.table_size", {"500"}},
      {"schedule.denoising_steps", {"[1000, 500]"}},
      {"schedule.first_block_steps", {"[1000, 250]"}},
      {"schedule.warp_denoising_steps", {"false"}},
      {"schedule.sigma_lookup", {"exact"}},
      {"video.frames", {"9"}},
      {"video.height", {"10"}},
      {"video.width", {"10"}},
      {"video.fps", {"8"}},
      {"run.device", {"cuda"}},
      {"run.dtype", {"float64"}},
      {"run.attention", {"math"}},
      {"run.threads", {"3", Base::kClips, kRun}},
      {"run.seed", {"2"}},
      {"negative_prompt", {"a red disc", Base::kConsistency}},
      {"train.stage", {"teacher_forcing", Base::kClips}},
      {"train.steps", {"7"}},
      {"train.global_batch", {"4"}},
      {"train.micro_batch", {"1"}},
      {"train.start_from", {"absent"}},
      {"train.activations", {"recompute"}},
      {"train.record_launches", {"true"}},
      {"train.ema_decay", {"0.5"}},
      {"train.ema_start_step", {"3"}},
      {"train.skip_over_median", {"30"}},
      {"train.stop_after_skips", {"3"}},
      {"train.stop_over_recovery", {"0.5"}},
      {"dmd.boundary", {"frozen"}},
      {"dmd.guidance", {"2"}},
      {"dmd.score_shift", {"3"}},
      {"dmd.least_score_time", {"100"}},
      {"dmd.score_above_next_step", {"true"}},
      {"dmd.generator_every", {"3"}},
      {"dmd.generator_at_zero", {"true"}},
      {"dmd.critic_only_steps", {"1"}},
      {"dmd.exit", {"per_sample"}},
      {"dmd.first_exit", {"2"}},
      {"dmd.cache", {"final_clean"}},
      {"dmd.first_block_given", {"true"}},
      {"dmd.teacher", {"absent"}},
      {"dmd.critic", {"absent"}},
      {"distil.teacher", {"absent", Base::kConsistency}},
      {"distil.guidance", {"2", Base::kConsistency}},
      {"distil.grid", {"8", Base::kConsistency}},
      {"data.world", {"world-small"}},
      {"data.wan", {"absent", Base::kDmdOnPrompts}},
      {"data.prompts", {"absent"}},
      {"data.clips", {"absent", Base::kEncodedClips}},
      {"data.pairs", {"absent", Base::kPaths}},
      {"data.caption_dropout", {"1", Base::kClips}},
      {"output.checkpoint_every", {"3"}},
      {"output.keep_last", {"1", Base::kClips, kRun}},
      {"output.keep_every", {"1", Base::kClips, kRun}},
      {"output.sample_every", {"3"}},
      {"output.sample_prompts", {"[a red disc]"}},
      {"output.sample_steps", {"2", Base::kClips}},
      {"output.sample_guidance", {"2", Base::kClips}},
      {"output.report_every", {"3"}},
      {"output.tensorboard", {"false", Base::kClips, kRun}},
  };
  return all;
}

// Both sections are described by one struct.
std::map<std::string, KeyCase> all_cases() {
  std::map<std::string, KeyCase> all = cases();
  const std::map<std::string, std::string> of_optimisers{
      {"learning_rate", "0.5"}, {"beta1", "0.25"},     {"beta2", "0.5"},    {"weight_decay", "0.5"}, {"eps", "1.0e-05"},
      {"clip_norm", "3"},       {"warmup_steps", "3"}, {"decay", "cosine"}, {"final_share", "0.5"}};
  for (const char* section : {"optimiser", "critic_optimiser"})
    for (const auto& [name, value] : of_optimisers) all[fmt::format("{}.{}", section, name)] = {value};
  return all;
}

// Keys for people: they change nothing but what is written beside a run.
const std::set<std::string> kForPeople{"name", "description"};

Config changed(const Config& base, const std::string& key, const std::string& value) {
  ConfigNode tree = parse_yaml(to_yaml(base), {.source = "base", .line = 1, .column = 1});
  apply_override(tree, fmt::format("{}={}", key, value));
  Config config = read_tree<Config>(tree);
  validate(config);
  return config;
}

class EveryKey : public ::testing::Test {
 protected:
  void SetUp() override {
    threads_ = at::get_num_threads();
    train(small_run(StageChoice::kFlowMatching, 1), folder_ / "teacher");
    weights_ = find_start_file(folder_ / "teacher").path.string();
    std::ofstream(folder_ / "prompts.txt") << "a red disc\n";
  }
  void TearDown() override { at::set_num_threads(threads_); }

  // Nearest_table, so that the table's size shows; few intervals, so that a short run has them all.
  Config base(Base which) const {
    Config c = small_run(StageChoice::kDmd, 5);
    c.schedule.sigma_lookup = SigmaLookup::kNearestTable;
    c.output.checkpoint_every = 1;
    switch (which) {
      case Base::kDmd:
        break;
      case Base::kDmdOnPrompts:
        c.data.world.clear();
        c.data.wan = "elsewhere";
        c.data.prompts = (folder_ / "prompts.txt").string();
        break;
      case Base::kClips:
        c.train.stage = StageChoice::kFlowMatching;
        return c;
      case Base::kEncodedClips:
        c.train.stage = StageChoice::kFlowMatching;
        c.data.world.clear();
        c.data.clips = "elsewhere";
        return c;
      case Base::kConsistency:
        c.train.stage = StageChoice::kCausalCd;
        break;
      case Base::kPaths:
        c.train.stage = StageChoice::kCausalOde;
        c.data.pairs = "elsewhere";
        break;
    }
    c.train.start_from = c.dmd.teacher = c.distil.teacher = weights_;
    return c;
  }

  // Looked at once for all keys.
  const std::string& seen_in_base(Base which, Look look) {
    std::string& seen = seen_[{which, look}];
    if (seen.empty()) seen = look_at(look, base(which));
    return seen;
  }

  bool shows(const std::string& key, const KeyCase& c) {
    const Config config = changed(base(c.base), key, c.value);
    return std::ranges::any_of(c.looks, [&](Look look) { return look_at(look, config) != seen_in_base(c.base, look); });
  }

 private:
  TemporaryFolder folder_;
  std::string weights_;
  int threads_ = 1;
  std::map<std::pair<Base, Look>, std::string> seen_;
};

TEST_F(EveryKey, ChangesWhatIsBuilt) {
  const std::map<std::string, KeyCase> all = all_cases();
  for (const KeyHelp& known : known_keys()) {
    if (kForPeople.contains(known.key)) continue;
    const auto found = all.find(known.key);
    ASSERT_TRUE(found != all.end()) << known.key << " has no case: add one that shows what reads it";
    EXPECT_TRUE(shows(known.key, found->second)) << known.key << " = " << found->second.value << " changes nothing";
  }
}

TEST_F(EveryKey, HasACaseOfAKeyThatIsThere) {
  std::set<std::string> known;
  for (const KeyHelp& key : known_keys()) known.insert(key.key);
  for (const auto& [key, one] : all_cases()) EXPECT_TRUE(known.contains(key)) << key;
}

// The control: what is looked at repeats, and keys for people do not show in it.
TEST_F(EveryKey, ForPeopleAloneChangesNothing) {
  for (const std::string& key : kForPeople)
    for (const Base which : {Base::kDmd, Base::kClips, Base::kConsistency})
      EXPECT_FALSE(shows(key, {"other", which})) << key;
  EXPECT_FALSE(shows("name", {"other", Base::kClips, kRun}));
}

}  // namespace
}  // namespace sgf
