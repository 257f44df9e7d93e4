#!/usr/bin/env python3
"""One SGF generator step in eager PyTorch and in sgf, on the same weights and noise: equal numbers first, then the ratio.

    python benchmarks/eager_reference.py --sgf build/cpu/bin/sgf

The step is Pass 1 to the exit step, Pass 2 (open boundary), teacher with guidance and critic, the DMD loss, backward,
gradient clipping and fused AdamW; in float32, every activation kept. This script writes weights, inputs and its own loss
and gradients as a recording; `sgf verify` must find the same numbers before anything is timed. Then the two sides take
turns, exit steps 1 to 4, and the ratio is that of the sums of the medians.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))

import torch
from safetensors.torch import save_file

from eager_model import BlockCalls, Cache, DenseMask, EagerDit, Window
from record_reference import random_weights

TIMESTEPS = [1000.0, 937.5, 833.3333333333334, 625.0]  # 1000, 750, 500, 250 shifted by 5


class Step:
    """The three networks, the optimiser and every draw of one step."""

    def __init__(self, args):
        self.args = args
        self.config = config_of(args)
        roles = {"w": args.seed, "w_real": args.seed + 1, "w_fake": args.seed + 2}
        self.weights = {role: {name: value.float() for name, value in random_weights(self.config, seed).items()}
                        for role, seed in roles.items()}
        self.inputs = inputs_of(args, self.config)
        self.generator, self.teacher, self.critic = (EagerDit(self.config, self.weights[role]) for role in roles)
        self.parameters = [value.requires_grad_() for value in self.weights["w"].values()]
        self.optimiser = torch.optim.AdamW(self.parameters, lr=args.lr, betas=(0.0, 0.999), eps=1e-8,
                                           weight_decay=0.01, fused=True)
        self.window = Window(args.sink, args.fifo)
        self.tokens = args.height // 2 * (args.width // 2)
        self.mask = DenseMask(self.window, args.frames, args.block, self.tokens)

    @torch.no_grad()
    def roll_out(self, exit_step):
        """Pass 1: what went in at the exit step, and what came out."""
        a, x = self.args, self.inputs
        embedded = self.generator.embed_text(x["text"])
        text = [self.generator.text_keys_values(layer, embedded) for layer in range(self.config["num_layers"])]
        cache = Cache(self.window, self.config, a.frames, self.tokens, x["noise"])
        noisy, predictions = [], []
        for begin in range(0, a.frames, a.block):
            block = (begin, begin + a.block)
            rows = slice(*block)
            latents = x["noise"][:, rows]
            for step in range(exit_step):
                sigma = TIMESTEPS[step] / 1000
                times = latents.new_full(latents.shape[:2], TIMESTEPS[step], dtype=torch.float64)
                clean = latents - sigma * self.generator.serial(latents, times, text, block, cache)
                if step + 1 < exit_step:
                    following = TIMESTEPS[step + 1] / 1000
                    latents = (1 - following) * clean + following * x["renoise"][step][:, rows]
            self.generator.serial(clean, clean.new_zeros(clean.shape[:2]), text, block, cache, write=True)
            noisy.append(latents)
            predictions.append(clean)
        return torch.cat(noisy, 1), torch.cat(predictions, 1)

    def reconstruct(self, noisy, prediction, exit_step):
        """Pass 2."""
        t = TIMESTEPS[exit_step - 1]
        context = prediction[:, : self.args.frames - self.args.block]
        text = self.generator.embed_text(self.inputs["text"])
        return noisy - t / 1000 * self.generator.parallel(noisy, context, t, text, self.mask)

    @torch.no_grad()
    def dmd_gradient(self, x):
        sigma = (self.inputs["t_score"] / 1000).float().view(-1, 1, 1, 1, 1)
        noisy = (1 - sigma) * x + sigma * self.inputs["score_noise"]
        times = self.inputs["t_score"].unsqueeze(1).expand(x.shape[:2])
        clean = lambda dit, text: noisy - sigma * dit.bidirectional(noisy, times, dit.embed_text(text))
        if self.args.guidance_in_one_batch:
            both = torch.cat([self.inputs["text"], self.inputs["negative_text"]])
            flows = self.teacher.bidirectional(noisy.repeat(2, 1, 1, 1, 1), times.repeat(2, 1), self.teacher.embed_text(both))
            cond, uncond = (noisy - sigma * flow for flow in flows.chunk(2))
        else:
            cond, uncond = clean(self.teacher, self.inputs["text"]), clean(self.teacher, self.inputs["negative_text"])
        real, fake = cond + (cond - uncond) * self.args.guidance, clean(self.critic, self.inputs["text"])
        return torch.nan_to_num((fake - real) / (x - real).abs().mean((1, 2, 3, 4), keepdim=True))

    def loss(self, exit_step):
        noisy, prediction = self.roll_out(exit_step)
        x = self.reconstruct(noisy, prediction, exit_step)
        gradient = self.dmd_gradient(x.detach())
        return 0.5 * (x - (x - gradient).detach()).square().mean(), x, gradient, noisy, prediction

    def train(self, exit_step):
        self.loss(exit_step)[0].backward()
        torch.nn.utils.clip_grad_norm_(self.parameters, 10.0, foreach=True)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)


def config_of(args):
    return {"model_type": "t2v", "patch_size": [1, 2, 2], "eps": 1e-6, "in_dim": args.channels, "out_dim": args.channels,
            "dim": args.dim, "ffn_dim": args.ffn, "freq_dim": args.freq, "text_dim": args.text_dim,
            "text_len": args.text_len, "num_heads": args.heads, "num_layers": args.layers}


def inputs_of(args, config):
    g = torch.Generator().manual_seed(args.seed + 3)
    rand = lambda *shape: torch.randn(*shape, generator=g)
    video = lambda: rand(args.batch, args.frames, args.channels, args.height, args.width)
    text = lambda: rand(args.batch, args.text_len, args.text_dim)
    return {"text": text(), "negative_text": text(), "noise": video(), "score_noise": video(), "critic_noise": video(),
            "renoise": torch.stack([video() for _ in TIMESTEPS[1:]]),
            "t_score": torch.full((args.batch,), 600.0, dtype=torch.float64),
            "t_critic": torch.full((args.batch,), 600.0, dtype=torch.float64)}


def record(step, exit_step, path):
    """Weights, inputs and this side's numbers, as `sgf verify` reads them: video is [B, C, F, H, W] there."""
    loss, x, gradient, noisy, prediction = step.loss(exit_step)
    grads = torch.autograd.grad(loss, step.parameters)
    video = {"out.noisy": noisy, "out.prediction": prediction, "out.reconstruction": x, "out.dmd_gradient": gradient}
    tensors = {"out.generator_loss": loss.reshape(1), **{name: value.transpose(1, 2) for name, value in video.items()}}
    tensors |= {f"grad_open.{name}": grad for name, grad in zip(step.weights["w"], grads)}
    for role, weights in step.weights.items():
        tensors |= {f"{role}.{name}": value for name, value in weights.items()}
    for name, value in step.inputs.items():
        at = {5: (1, 2), 6: (2, 3)}.get(value.dim())
        tensors[f"in.{name}"] = value.transpose(*at) if at else value
    a = step.args
    metadata = {"kind": "sgf_step", "config": step.config, "frames_per_block": a.block, "sink_frames": a.sink,
                "fifo_frames": a.fifo, "denoising_timesteps": TIMESTEPS, "exit_step": exit_step, "guidance": a.guidance}
    save_file({name: value.detach().contiguous().clone() for name, value in tensors.items()}, path,
              metadata={key: json.dumps(value) for key, value in metadata.items()})


def verify(args, path):
    """Throws where sgf's numbers are not ours to float32 rounding."""
    done = subprocess.run([args.sgf, "verify", "--json", "--dtype", "float32", "--device", "cpu", "--tolerance",
                           str(args.tolerance), path], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"eager_reference: the two sides disagree:\n{done.stdout}")
    return max(tensor["rel_l2"] for tensor in json.loads(done.stdout)["tensors"])


def time_sgf(args, path, exit_step):
    """Median and phases of a few runs, as sgf's own clock says."""
    done = subprocess.run([args.sgf, "bench", "generator", "--recording", path, "--device", "cpu", "--dtype", "float32",
                           "--activations", "keep", "--exit", str(exit_step), "--runs", str(args.runs), "--warm-up",
                           str(args.warm_up), "--threads", str(args.threads)], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def time_eager(args, step, exit_step):
    times = []
    for i in range(args.warm_up + args.runs):
        began = time.perf_counter()
        step.train(exit_step)
        if i >= args.warm_up:
            times.append(1000 * (time.perf_counter() - began))
    return times


def choose_fastest(args, step):
    """Whatever is faster in eager on this machine: dense mask or block calls, guidance in one batch or two.

    The ways take turns and each is judged by its best run: another program's noise only ever adds.
    """
    ways = {(mask, one_batch): [] for mask in (DenseMask, BlockCalls) for one_batch in (False, True)}
    for _ in range(args.rounds):
        for way, times in ways.items():
            use(args, step, way)
            times.extend(time_eager(args, step, 2))
    best = min(ways, key=lambda way: min(ways[way]))
    use(args, step, best)
    return {"attention": best[0].__name__, "guidance_in_one_batch": best[1]}


def use(args, step, way):
    step.mask = way[0](step.window, args.frames, args.block, step.tokens)
    args.guidance_in_one_batch = way[1]


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sgf", required=True, help="the program")
    for name, value in dict(dim=128, heads=4, layers=4, ffn=512, freq=256, text_dim=48, text_len=16, channels=12, frames=21,
                            height=8, width=8, batch=1, block=3, sink=3, fifo=6, seed=0, rounds=7, runs=3, warm_up=1,
                            threads=len(os.sched_getaffinity(0))).items():
        parser.add_argument("--" + name.replace("_", "-"), type=int, default=value, metavar="N")
    for name, value in dict(guidance=3.0, lr=2e-6, tolerance=1e-5).items():
        parser.add_argument("--" + name, type=float, default=value, metavar="X")
    args = parser.parse_args()
    if args.frames % args.block or args.height % 2 or args.width % 2 or args.fifo < 1:
        parser.error("blocks fill the video, patches of 2 x 2 the frame, and the FIFO is not empty")
    args.guidance_in_one_batch = False
    return args


def main():
    args = parse_args()
    torch.set_num_threads(args.threads)
    step = Step(args)
    count = sum(value.numel() for value in step.parameters)
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder) / "step.safetensors")
        worst = 0.0
        for exit_step in range(1, len(TIMESTEPS) + 1):
            record(step, exit_step, path)
            worst = max(worst, verify(args, path))
        chosen = choose_fastest(args, step)
        eager, ours = {}, {}
        load = os.getloadavg()[0]
        for _ in range(args.rounds):
            for exit_step in range(1, len(TIMESTEPS) + 1):
                eager.setdefault(exit_step, []).extend(time_eager(args, step, exit_step))
                ours.setdefault(exit_step, []).append(time_sgf(args, path, exit_step))
    eager_ms = {k: statistics.median(v) for k, v in eager.items()}
    sgf_ms = {k: statistics.median(line["p50_ms"] for line in v) for k, v in ours.items()}
    print(json.dumps({"item": "generator", "device": "cpu", "dtype": "float32", "parameters": count,
                      "shape": [args.batch, args.frames, args.channels, args.height, args.width],
                      "threads": args.threads, "torch": torch.__version__, "worst_rel_l2": worst, **chosen,
                      "rounds": args.rounds, "runs": args.runs, "warm_up": args.warm_up, "load_before": load,
                      "eager_ms": eager_ms, "sgf_ms": sgf_ms,
                      "ratio": sum(eager_ms.values()) / sum(sgf_ms.values())}))


if __name__ == "__main__":
    main()
