// One function per kind of recording: from settings and inputs to this program's outputs.
#pragma once

#include "sgf/verify/replay.h"

namespace sgf {

NamedTensors replay_dit_bidirectional(const Recording& recording, const ReplayOptions& options);
NamedTensors replay_dit_serial(const Recording& recording, const ReplayOptions& options);
NamedTensors replay_dit_stream(const Recording& recording, const ReplayOptions& options);
NamedTensors replay_dit_parallel(const Recording& recording, const ReplayOptions& options);
NamedTensors replay_dit_pass2(const Recording& recording, const ReplayOptions& options);
NamedTensors replay_sgf_rollout(const Recording& recording, const ReplayOptions& options);
NamedTensors replay_sgf_step(const Recording& recording, const ReplayOptions& options);
NamedTensors replay_flow_matching(const Recording& recording, const ReplayOptions& options);
NamedTensors replay_teacher_forcing(const Recording& recording, const ReplayOptions& options);
NamedTensors replay_causal_ode(const Recording& recording, const ReplayOptions& options);
NamedTensors replay_bidirectional_ode(const Recording& recording, const ReplayOptions& options);
NamedTensors replay_causal_cd(const Recording& recording, const ReplayOptions& options);
NamedTensors replay_schedule(const Recording& recording, const ReplayOptions& options);
NamedTensors replay_unipc(const Recording& recording, const ReplayOptions& options);
NamedTensors replay_vae(const Recording& recording, const ReplayOptions& options);
NamedTensors replay_umt5(const Recording& recording, const ReplayOptions& options);
NamedTensors replay_vbench_rule(const Recording& recording, const ReplayOptions& options);
NamedTensors replay_clip(const Recording& recording, const ReplayOptions& options);
NamedTensors replay_vbench_preprocess(const Recording& recording, const ReplayOptions& options);
NamedTensors replay_vit(const Recording& recording, const ReplayOptions& options);
NamedTensors replay_clip_vit(const Recording& recording, const ReplayOptions& options);
NamedTensors replay_dreamsim(const Recording& recording, const ReplayOptions& options);
NamedTensors replay_musiq(const Recording& recording, const ReplayOptions& options);
NamedTensors replay_raft(const Recording& recording, const ReplayOptions& options);
NamedTensors replay_amt(const Recording& recording, const ReplayOptions& options);
NamedTensors replay_vbench_metrics(const Recording& recording, const ReplayOptions& options);
NamedTensors replay_vbench_long(const Recording& recording, const ReplayOptions& options);

}  // namespace sgf
