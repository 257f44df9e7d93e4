// `sgf verify` from the inside: the bundled recordings hold, and a recording that was tampered with does not.
#include "sgf/verify/replay.h"

#include "sgf/core/device.h"
#include "sgf/core/error.h"
#include "sgf/schedule/flow_schedule.h"
#include "tests/core/refusal.h"
#include "tests/core/temporary_folder.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace sgf {
namespace {

namespace fs = std::filesystem;

const fs::path kReferences = fs::path(SGF_TEST_DATA) / "reference";

std::vector<fs::path> recordings(const fs::path& folder) {
  const auto kinds = replayable_kinds();
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".safetensors") continue;
    const std::string kind = Recording::open(entry.path()).kind();
    if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) out.push_back(entry.path());
  }
  return out;
}

double largest(const VerifyResult& result) {
  double worst = 0;
  for (const TensorError& e : result.tensors) worst = std::max(worst, e.rel_l2);
  return worst;
}

// Float32 originals are good for less.
double float64_target(const std::string& kind) {
  if (kind == "schedule") return 1e-6;
  if (kind == "vbench_preprocess") return 1e-7;
  return kind == "unipc" ? 1e-5 : 1e-12;
}

void expect_float64(const fs::path& folder) {
  for (const fs::path& path : recordings(folder)) {
    const VerifyResult result = verify_recording(path, {});
    EXPECT_TRUE(result.ok) << path;
    EXPECT_LE(largest(result), float64_target(result.kind)) << path;
  }
}

TEST(Replay, BundledRecordingsHoldInFloat64) {
  EXPECT_GE(recordings(kReferences).size(), 8u);
  expect_float64(kReferences);
}

TEST(Replay, FurtherRecordingsHoldInFloat64) {
  const char* folder = std::getenv("SGF_REFERENCE_DIR");
  if (folder == nullptr) GTEST_SKIP() << "SGF_REFERENCE_DIR names no folder of further recordings";
  expect_float64(folder);
  if (const fs::path vbench = fs::path(folder) / "vbench"; fs::is_directory(vbench)) expect_float64(vbench);
}

TEST(Replay, BundledRecordingsHoldInFloat32AndBfloat16) {
  for (const fs::path& path : recordings(kReferences)) {
    EXPECT_TRUE(verify_recording(path, {.dtype = at::kFloat}).ok) << path;
    EXPECT_TRUE(verify_recording(path, {.dtype = at::kBFloat16}).ok) << path;
  }
}

TEST(Replay, EveryAttentionBackendHolds) {
  const fs::path path = kReferences / "dit_pass2_framewise_open_a.safetensors";
  for (const auto backend : {AttentionBackend::kFlash, AttentionBackend::kMath})
    EXPECT_TRUE(verify_recording(path, {.attention = backend, .tolerance = 1e-12}).ok);
}

TEST(Replay, BundledRecordingsHoldOnTheGpu) {
  if (!cuda_is_available()) GTEST_SKIP() << "no CUDA device";
  for (const fs::path& path : recordings(kReferences))
    for (const auto dtype : {at::kDouble, at::kFloat, at::kBFloat16})
      for (const VerifyResult result = verify_recording(path, {.dtype = dtype, .device = at::kCUDA});
           const TensorError& error : result.tensors)
        EXPECT_TRUE(error.holds) << path << ", " << result.dtype << ", " << error.name << ": " << error.rel_l2;
}

// A copy of the references in which tests may change bytes.
struct Tampered {
  testing::TemporaryFolder folder;

  Tampered() {
    for (const auto& entry : fs::directory_iterator(kReferences)) fs::copy(entry.path(), folder.path());
  }

  // Adds `by` to one float64 of a tensor, on disk.
  fs::path change(const std::string& file, const std::string& tensor, double by) const {
    const fs::path path = folder.path() / file;
    const TensorFile opened = open_tensor_file(path);
    const TensorEntry* entry = opened.find(tensor);
    double value = 0;
    std::memcpy(&value, opened.bytes(*entry).data() + 8, 8);
    value += by;
    fs::permissions(path, fs::perms::owner_write, fs::perm_options::add);
    std::fstream out(path, std::ios::in | std::ios::out | std::ios::binary);
    out.seekp(static_cast<std::streamoff>(entry->offset + 8));
    out.write(reinterpret_cast<const char*>(&value), 8);
    return path;
  }
};

TEST(Replay, OneAlteredGradientFails) {
  const Tampered copy;
  const std::string file = "dit_pass2_framewise_open_a.safetensors";
  const std::string gradient = "grad.blocks.0.self_attn.k.weight";
  EXPECT_TRUE(verify_recording(copy.folder.path() / file, {}).ok);
  const VerifyResult result = verify_recording(copy.change(file, gradient, 1e-3), {});
  EXPECT_FALSE(result.ok);
  for (const TensorError& e : result.tensors) EXPECT_EQ(e.holds, e.name != gradient) << e.name;
}

TEST(Replay, OneAlteredInputFails) {
  const Tampered copy;
  EXPECT_FALSE(verify_recording(copy.change("dit_serial_framewise_window_a.safetensors", "in.clean", 1e-3), {}).ok);
}

TEST(Replay, ANanIsNoMatch) {
  const Tampered copy;
  const auto path = copy.change("dit_bidirectional_a.safetensors", "out.flow", std::nan(""));
  const VerifyResult result = verify_recording(path, {});
  EXPECT_FALSE(result.ok);
  EXPECT_TRUE(to_json(result)["tensors"][0]["rel_l2"].is_null());
}

TEST(Replay, SwappedBoundariesFail) {
  const Recording open = Recording::open(kReferences / "dit_pass2_framewise_open_a.safetensors");
  const Recording frozen = Recording::open(kReferences / "dit_pass2_framewise_frozen_a.safetensors");
  const NamedTensors ours = replay(open, {});
  size_t differ = 0;
  for (const std::string& name : frozen.expected_names())
    for (const auto& [own, tensor] : ours)
      if (own == name && name != "out.flow") differ += !at::allclose(tensor, frozen.expected(name), 1e-6, 1e-9);
  EXPECT_GE(differ, 3u);
}

// A recording with these tensors and settings.
fs::path write_recording(const testing::TemporaryFolder& folder, const NamedTensors& tensors,
                         std::map<std::string, std::string> metadata) {
  const fs::path path = folder.path() / "made.safetensors";
  save_tensors(path, tensors, metadata);
  return path;
}

TEST(Replay, AnUnknownKindIsAnErrorAndNotAPass) {
  const testing::TemporaryFolder folder;
  const auto path = write_recording(folder, {{"out.x", at::ones({2})}}, {{"kind", "\"dit_sideways\""}});
  EXPECT_THROW(verify_recording(path, {}), Error);
}

TEST(Replay, WeightsOutsideTheRecordingsFolderAreNotOpened) {
  const testing::TemporaryFolder folder;
  for (const char* elsewhere : {"\"../secret\"", "\"/etc/passwd\"", "\"..\"", "\"\""}) {
    const auto path =
        write_recording(folder, {{"out.x", at::ones({2})}}, {{"kind", "\"dit_pass2\""}, {"weights", elsewhere}});
    EXPECT_THROW(verify_recording(path, {}), Error) << elsewhere;
  }
}

TEST(Replay, InputsThatDoNotFitAreRefusedBeforeAnyWork) {
  const std::map<std::string, std::string> metadata{
      {"kind", "\"dit_pass2\""},
      {"weights", "\"dit_bidirectional_a.safetensors\""},
      {"boundary", "\"open\""},
      {"sink_frames", "1"},
      {"fifo_frames", "2"},
      {"frames_per_block", "1"},
      {"t_noisy", "750.0"},
      {"t_context", "0.0"},
      {"note", "not json at all"},
      {"config", open_tensor_file(kReferences / "dit_bidirectional_a.safetensors").metadata.at("config")}};
  const Tampered copy;
  const auto refusal = [&](const at::Tensor& noisy, const at::Tensor& clean) {
    const auto path = write_recording(
        copy.folder,
        {{"in.noisy", noisy}, {"in.clean", clean}, {"in.text", at::zeros({1, 2, 48})}, {"out.flow", noisy}}, metadata);
    try {
      verify_recording(path, {});
      return std::string("no refusal");
    } catch (const Error& e) {
      return std::string(e.what());
    }
  };
  const at::Tensor good = at::ones({1, 4, 3, 4, 4});
  EXPECT_EQ(refusal(good, good), "no refusal");
  EXPECT_NE(refusal(good, at::ones({1, 4, 3, 4, 8})).find("in.clean"), std::string::npos);
  EXPECT_NE(refusal(good[0], good).find("in.noisy must be a video"), std::string::npos);
  EXPECT_NE(refusal(good, good * std::nan("")).find("in.clean holds NaN"), std::string::npos);
}

// The recorded stages on other clips, with the weights of the bundled recordings beside them.
class StageRecording : public ::testing::Test {
 protected:
  NamedTensors replayed(const std::string& kind, const at::Tensor& t, int64_t batch, int64_t frames,
                        std::map<std::string, std::string> metadata) const {
    metadata["kind"] = '"' + kind + '"';
    metadata["weights"] = "\"dit_bidirectional_a.safetensors\"";
    metadata["config"] = open_tensor_file(kReferences / "dit_bidirectional_a.safetensors").metadata.at("config");
    NamedTensors tensors{{"in.t", t.to(at::kDouble)}, {"in.text", video({batch, 2, 48})}};
    for (const char* name : {"in.state", "in.target", "in.data", "in.noise"})
      tensors.emplace_back(name, video({batch, 4, frames, 4, 4}) * static_cast<double>(tensors.size()));
    return replay(Recording::open(write_recording(copy_.folder, tensors, metadata)), {});
  }
  static double loss(const NamedTensors& out) { return out.front().second.item<double>(); }

 private:
  static at::Tensor video(at::IntArrayRef shape) {
    return at::arange(c10::multiply_integers(shape), at::kDouble).sin().view(shape);
  }
  Tampered copy_;
};

TEST_F(StageRecording, OfASingleBlockHasATimestepForAllItsFrames) {
  const at::Tensor one = at::tensor({625.0}), each = at::full({3}, 625.0), other = at::full({3}, 500.0);
  for (const char* kind : {"stage_causal_ode", "stage_bidirectional_ode", "stage_teacher_forcing"}) {
    const auto with = [&](const at::Tensor& t) { return loss(replayed(kind, t, 1, 3, {{"frames_per_block", "3"}})); };
    EXPECT_EQ(with(one), with(each)) << kind;
    EXPECT_NE(with(one), with(other)) << kind;
  }
}

// Two samples of two blocks: causal_ode draws for a sample, the others for a block.
TEST_F(StageRecording, OfAsManySamplesAsBlocksHasTheTimestepsThatItsStageDraws) {
  const at::Tensor two = at::tensor({937.5, 625.0});
  const at::Tensor of_samples = two.view({2, 1}).expand({2, 4}).contiguous();
  const at::Tensor of_blocks = two.repeat_interleave(2).expand({2, 4}).contiguous();
  const auto with = [&](const char* kind, const at::Tensor& t) {
    return loss(replayed(kind, t, 2, 4, {{"frames_per_block", "2"}}));
  };
  EXPECT_EQ(with("stage_causal_ode", two), with("stage_causal_ode", of_samples));
  EXPECT_EQ(with("stage_bidirectional_ode", two), with("stage_bidirectional_ode", of_blocks));
  EXPECT_EQ(with("stage_teacher_forcing", two), with("stage_teacher_forcing", of_blocks));
  EXPECT_NE(with("stage_causal_ode", of_blocks), with("stage_causal_ode", of_samples));
}

TEST_F(StageRecording, WeighsByTheTableOfItsShift) {
  for (const char* kind : {"stage_flow_matching", "stage_teacher_forcing"}) {
    const auto with = [&](std::map<std::string, std::string> shift) {
      shift["frames_per_block"] = "1";
      return loss(replayed(kind, at::tensor({600.0}), 1, 2, shift));
    };
    EXPECT_EQ(with({{"shift", "5.0"}}), with({})) << kind;
    EXPECT_NEAR(with({{"shift", "3.0"}}) / with({}),
                FlowSchedule(3).training_weight(600) / FlowSchedule(5).training_weight(600), 1e-12)
        << kind;
  }
}

// Also errors of functions that do not know of the file, such as the comparison of shapes.
TEST(Replay, AnErrorNamesTheRecordingOnce) {
  const Tampered copy;
  const fs::path path = copy.folder.path() / "dit_serial_framewise_window_a.safetensors";
  const TensorFile whole = open_tensor_file(path);
  const auto refused_with = [&](const std::string& changed, const at::Tensor& value) {
    NamedTensors tensors;
    for (const TensorEntry& entry : whole.entries)
      if (entry.name != changed) tensors.emplace_back(entry.name, map_tensor(whole, entry).clone());
    if (value.defined()) tensors.emplace_back(changed, value);
    const fs::path written = write_recording(copy.folder, tensors, whole.metadata);
    const std::string message = refusal_of([&] { verify_recording(written, {}); });
    EXPECT_TRUE(message.starts_with(written.string() + ": ")) << message;
    EXPECT_EQ(message.find(written.string(), 1), std::string::npos) << message;
    return message;
  };
  EXPECT_THAT(refused_with("in.clean", {}), ::testing::HasSubstr("has no tensor"));
  EXPECT_THAT(refused_with("out.flow", at::ones({2})), ::testing::HasSubstr("has shape"));
}

TEST(Replay, AFileWithoutExpectationsIsAnError) {
  const testing::TemporaryFolder folder;
  const auto path = write_recording(folder, {{"in.x", at::ones({2})}}, {{"kind", "\"unipc\""}});
  EXPECT_THROW(verify_recording(path, {}), Error);
}

// What is left would hold, and the stage would seem verified.
TEST(Replay, AStageWithoutItsLossOrItsGradientsIsAnError) {
  for (const std::string gone : {"out.loss", "grad."}) {
    const Tampered copy;
    const fs::path path = copy.folder.path() / "stage_causal_ode_a.safetensors";
    const TensorFile whole = open_tensor_file(path);
    NamedTensors rest;
    for (const TensorEntry& entry : whole.entries)
      if (!entry.name.starts_with(gone)) rest.emplace_back(entry.name, map_tensor(whole, entry).clone());
    const auto metadata = whole.metadata;
    fs::remove(path);
    EXPECT_THAT(refusal_of([&] { verify_recording(write_recording(copy.folder, rest, metadata), {}); }),
                ::testing::HasSubstr("needs out.loss and gradients"));
  }
}

TEST(Replay, AWeightFileIsNoRecording) {
  const testing::TemporaryFolder folder;
  EXPECT_THROW(verify_recording(write_recording(folder, {{"w", at::ones({2})}}, {}), {}), Error);
  EXPECT_THROW(verify_recording(folder.path() / "absent.safetensors", {}), Error);
}

}  // namespace
}  // namespace sgf
