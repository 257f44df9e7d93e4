// The public interface of sgf. A program includes this header alone, and links sgf::sgf:
//
//   #include <sgf/sgf.h>
//
//   sgf::VideoStream stream({.model = SGF_DATA_DIR "/models/world-small/sgf", .seed = 7});
//   for (int block = 0; block < 10; ++block)
//     for (const sgf::RgbImage& frame : stream.next()) show(frame);  // your function
//
// `find_package(sgf)` sets the CMake variable SGF_DATA_DIR to the folder with the installed presets, recipes and
// models. examples/ has three complete programs. The headers that this one includes are installed with it; all others
// belong to the sgf program and may change at any time.
//
// Tensors are those of libtorch. Comments write their shapes with B batch, F frames, L tokens, N heads, D head width,
// and C H W for channels, height and width of latents.
#pragma once

// Errors. A message of `Error` says what is wrong, with the value, and what was expected.
#include "sgf/core/error.h"

// Weight files. `open_tensor_file` opens safetensors files, shards and torch checkpoints and executes nothing in them.
// `report_weights` says what is in such a file, `convert_weights` writes it with other names, another dtype or in the
// other container. `load_dit` gives the network in it; `load_dit_weights` gives its weights alone.
#include "sgf/files/tensor_file.h"
#include "sgf/weights/convert.h"
#include "sgf/weights/load_dit.h"
#include "sgf/weights/weight_report.h"

// Streaming. `VideoStream` generates a video of any length, block by block; `write_png` stores a frame.
#include "sgf/media/png.h"
#include "sgf/streaming/video_stream.h"

// An update of Self Gradient Forcing, step by step. `CausalDit` is the network. `roll_out` is Pass 1: it generates a
// video without gradient and keeps an `ExitRecord`. `reconstruct` is Pass 2: it computes the recorded predictions again
// in one forward with gradient. `GradientBoundary` decides whether the gradient reaches the context: kFrozenContext is
// Self Forcing, kOpenContext is Self Gradient Forcing. `recovery` compares both passes. `generator_loss` and
// `critic_loss` are the losses of distribution matching, `AdamW` applies their gradients.
#include "sgf/model/causal_dit.h"
#include "sgf/objectives/distribution_matching.h"
#include "sgf/reconstruction/reconstruct.h"
#include "sgf/reconstruction/recovery_report.h"
#include "sgf/rollout/roll_out.h"
#include "sgf/schedule/flow_schedule.h"
#include "sgf/training/adamw.h"

// Verification. `verify_recording` recomputes the tensors of a reference recording and reports the differences.
#include "sgf/verify/verify_recording.h"
