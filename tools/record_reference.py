#!/usr/bin/env python3
"""Records a reference file for `sgf verify` from a small causal Wan DiT in plain PyTorch.

    python tools/record_reference.py --kind dit_pass2 --boundary frozen --out mine.safetensors
    sgf verify mine.safetensors

A recording is one safetensors file. Its tensors are `w.*` (weights under Wan's own key names; they may lie in another
recording beside it, named by the metadata key `weights`), `in.*`, `out.*` and, where the kind has a loss, `grad.*`.
Video is [B, C, F, H, W]. Every metadata value is JSON: `kind`, `config` (Wan's config.json) and the kind's settings.

To record from a model of your own, change the three lines marked YOURS in main(). The model here is written for
reading: float64, dense masks, nothing shared with the program it checks.
"""
import argparse
import json
import math

import torch
import torch.nn.functional as F
from safetensors.torch import save_file


class CausalWan:
    """Wan's DiT with one timestep a frame. `weights` maps Wan's key names to the tensors gradients are taken of.

    Shapes: B batch, F frames, P past frames, L tokens (frame, row, column), N heads, D head width, E = N * D.
    """

    def __init__(self, config, weights):
        self.config = config
        self.weights = {name: value.double().requires_grad_() for name, value in weights.items()}

    def __call__(self, video, times, text, positions, mask, past=None, frozen=0):
        """The flow [B, C, F, H, W], and per layer the keys (rotated) and values [B, L, N, D] of these frames.

        times [B, F]; text [B, rows, text_dim]; positions: each frame's place in time. mask [F, P + F] says which frames
        a frame sees, those of `past` (an earlier call's keys and values) first. The first `frozen` frames are context
        whose keys and values are constants to the other frames.
        """
        c, w = self.config, self.weights
        x = F.conv3d(video, w["patch_embedding.weight"], w["patch_embedding.bias"], stride=tuple(c["patch_size"]))
        grid, x = x.shape[2:], x.flatten(2).transpose(1, 2)
        tokens = grid[1] * grid[2]  # of one frame
        e = self.linear("time_embedding.2", F.silu(self.linear("time_embedding.0", self.sinusoid(times))))
        e0 = self.linear("time_projection.1", F.silu(e)).unflatten(-1, (6, c["dim"]))
        text = F.pad(text, (0, 0, 0, c["text_len"] - text.shape[1]))  # padded rows are attended to as well
        text = self.linear("text_embedding.2", gelu(self.linear("text_embedding.0", text)))
        turn = self.rotation(positions, grid)
        seen = mask.repeat_interleave(tokens, 0).repeat_interleave(tokens, 1)
        written = []
        for layer in range(c["num_layers"]):
            name = f"blocks.{layer}."
            rows = (e0 + w[name + "modulation"]).repeat_interleave(tokens, 1)  # [B, L, 6, E]
            shift_a, scale_a, gate_a, shift_f, scale_f, gate_f = rows.unbind(2)
            h = self.norm(x) * (1 + scale_a) + shift_a
            q, k, v = self.qkv(name + "self_attn.", h, h)
            q, k = rotate(q, turn), rotate(k, turn)
            written.append((k, v))
            if past:
                k, v = torch.cat([past[layer][0], k], 1), torch.cat([past[layer][1], v], 1)
            y = attend(q, k, v, seen)
            if frozen:
                n = frozen * tokens
                k, v = (torch.cat([z[:, :n].detach(), z[:, n:]], 1) for z in (k, v))
                y = torch.cat([y[:, :n], attend(q[:, n:], k, v, seen[n:])], 1)
            x = x + gate_a * self.linear(name + "self_attn.o", y.flatten(2))
            h = self.norm(x) * w[name + "norm3.weight"] + w[name + "norm3.bias"]
            y = attend(*self.qkv(name + "cross_attn.", h, text))
            x = x + self.linear(name + "cross_attn.o", y.flatten(2))
            h = self.norm(x) * (1 + scale_f) + shift_f
            x = x + gate_f * self.linear(name + "ffn.2", gelu(self.linear(name + "ffn.0", h)))
        shift, scale = (e.unsqueeze(2) + w["head.modulation"]).repeat_interleave(tokens, 1).unbind(2)
        x = self.linear("head.head", self.norm(x) * (1 + scale) + shift)
        x = x.reshape(len(x), *grid, *c["patch_size"][1:], c["out_dim"])  # B F h w ph pw C; patches span one frame
        return x.permute(0, 6, 1, 2, 4, 3, 5).flatten(5, 6).flatten(3, 4), written

    def linear(self, name, x):
        return F.linear(x, self.weights[name + ".weight"], self.weights[name + ".bias"])

    def norm(self, x):
        return self.rms(x - x.mean(-1, keepdim=True))

    def rms(self, x):
        return x / (x.square().mean(-1, keepdim=True) + self.config["eps"]).sqrt()

    def qkv(self, name, queries_of, keys_of):
        """Queries and keys are normalised over all heads together, then split."""
        q = self.rms(self.linear(name + "q", queries_of)) * self.weights[name + "norm_q.weight"]
        k = self.rms(self.linear(name + "k", keys_of)) * self.weights[name + "norm_k.weight"]
        v = self.linear(name + "v", keys_of)
        return [z.unflatten(-1, (self.config["num_heads"], -1)) for z in (q, k, v)]

    def sinusoid(self, times):
        half = self.config["freq_dim"] // 2
        angle = times.double().unsqueeze(-1) * 10000.0 ** (-torch.arange(half, dtype=torch.float64) / half)
        return torch.cat([angle.cos(), angle.sin()], -1)

    def rotation(self, positions, grid):
        """RoPE's turns [L, 1, D/2] as complex numbers: pairs for time first, then height, then width."""
        width = self.config["dim"] // self.config["num_heads"]
        space = width // 6
        places = torch.meshgrid(torch.tensor(positions), torch.arange(grid[1]), torch.arange(grid[2]), indexing="ij")
        angles = [place.flatten().double().unsqueeze(1) * 10000.0 ** (-torch.arange(n, dtype=torch.float64) / max(n, 1))
                  for place, n in zip(places, (width // 2 - 2 * space, space, space))]
        return torch.exp(1j * torch.cat(angles, 1)).unsqueeze(1)


def gelu(x):
    return F.gelu(x, approximate="tanh")


def rotate(x, turn):
    return torch.view_as_real(torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous()) * turn).flatten(-2)


def attend(q, k, v, seen=None):
    scores = torch.einsum("bqnd,bknd->bnqk", q, k) / math.sqrt(q.shape[-1])
    if seen is not None:
        scores = scores.masked_fill(~seen, -math.inf)
    return torch.einsum("bnqk,bknd->bqnd", scores.softmax(-1), v)


def history(start, sink, fifo):
    """The earlier frames that a block beginning at `start` sees."""
    return [f for f in range(start) if f < sink or f >= start - fifo]


def run_bidirectional(model, settings, inputs):
    frames = inputs["x"].shape[2]
    times, mask = inputs["t"].unsqueeze(1).expand(-1, frames), torch.ones(frames, frames, dtype=torch.bool)
    flow, _ = model(inputs["x"], times, inputs["text"], range(frames), mask)
    return {"out.flow": flow}


def run_serial(model, settings, inputs):
    """Per block: a call on the noisy latents, then one on the clean latents whose keys and values stay."""
    noisy, clean, text = inputs["noisy"], inputs["clean"], inputs["text"]
    batch, _, frames = noisy.shape[:3]
    block, total, sink = (settings[key] for key in ("frames_per_block", "total_window_frames", "sink_frames"))
    fifo = frames if total < 0 else total - sink - block
    kept, flows = {}, []  # kept: frame -> per layer (keys, values)
    for start in range(0, frames, block):
        own = list(range(start, start + block))
        before = history(start, sink, fifo)
        mask = torch.ones(block, len(before) + block, dtype=torch.bool)
        past = gather(kept, before) if before else None
        at = lambda key: torch.full((batch, block), settings[key], dtype=torch.float64)
        flow, _ = model(noisy[:, :, own], at("t_noisy"), text, own, mask, past)
        _, written = model(clean[:, :, own], at("t_context"), text, own, mask, past)
        flows.append(flow)
        for i, frame in enumerate(own):
            kept[frame] = [[z.unflatten(1, (block, -1))[:, i] for z in pair] for pair in written]
    out = {"out.flow": torch.cat(flows, 2)}
    for layer, pair in enumerate(gather(kept, before + own)):  # what a cache of that window ends with, in order of time
        out[f"out.cache_k.{layer}"], out[f"out.cache_v.{layer}"] = pair
    return out


def gather(kept, frames):
    return [[torch.cat(parts, 1) for parts in zip(*of_frames)] for of_frames in zip(*(kept[f] for f in frames))]


def run_parallel(model, settings, inputs):
    """[context | noisy] in one call. Context rows see what the cache held when their block was written."""
    batch, _, frames = inputs["noisy"].shape[:3]
    block = settings["frames_per_block"]
    sink, fifo = settings.get("sink_frames", 0), settings.get("fifo_frames", frames)  # dit_parallel: everything
    mask = torch.zeros(2 * frames, 2 * frames, dtype=torch.bool)
    for frame in range(frames):
        start = frame - frame % block
        for row, copy in ((frame, 0), (frames + frame, frames)):
            mask[row, history(start, sink, fifo)] = True
            mask[row, copy + start : copy + start + block] = True
    times = torch.tensor([settings["t_context"]] * frames + [settings["t_noisy"]] * frames, dtype=torch.float64)
    both, _ = model(torch.cat([inputs["clean"], inputs["noisy"]], 2), times.expand(batch, -1), inputs["text"],
                    [*range(frames)] * 2, mask, frozen=frames if settings.get("boundary") == "frozen" else 0)
    flow = both[:, :, frames:]
    grads = torch.autograd.grad((flow * inputs["grad_out"]).sum(), list(model.weights.values()))
    return {"out.flow": flow, **{f"grad.{name}": grad for name, grad in zip(model.weights, grads)}}


RUNS = {"dit_bidirectional": run_bidirectional, "dit_serial": run_serial,
        "dit_parallel": run_parallel, "dit_pass2": run_parallel}


def random_weights(config, seed):
    """Weights under Wan's key names, large enough that a term left out shows."""
    dim, ffn, patch = config["dim"], config["ffn_dim"], config["patch_size"]
    shapes = {"patch_embedding": (dim, config["in_dim"], *patch), "text_embedding.0": (dim, config["text_dim"]),
              "text_embedding.2": (dim, dim), "time_embedding.0": (dim, config["freq_dim"]),
              "time_embedding.2": (dim, dim), "time_projection.1": (6 * dim, dim),
              "head.head": (config["out_dim"] * math.prod(patch), dim)}
    g = torch.Generator().manual_seed(seed)
    weights = {"head.modulation": torch.randn(1, 2, dim, generator=g) / 2}
    for block in (f"blocks.{layer}." for layer in range(config["num_layers"])):
        shapes |= {f"{block}{kind}_attn.{part}": (dim, dim) for kind in ("self", "cross") for part in "qkvo"}
        shapes |= {block + "ffn.0": (ffn, dim), block + "ffn.2": (dim, ffn)}
        weights[block + "modulation"] = torch.randn(1, 6, dim, generator=g) / 2
        weights[block + "norm3.bias"] = torch.randn(dim, generator=g) / 10
        for norm in ("norm3", "self_attn.norm_q", "self_attn.norm_k", "cross_attn.norm_q", "cross_attn.norm_k"):
            weights[f"{block}{norm}.weight"] = 1 + torch.randn(dim, generator=g) / 5
    for name, shape in shapes.items():
        weights[name + ".weight"] = torch.randn(shape, generator=g) / math.sqrt(math.prod(shape[1:]))
        weights[name + ".bias"] = torch.randn(shape[0], generator=g) / 10
    return weights


def config_of(args):
    return {"model_type": "t2v", "patch_size": args.patch, "eps": args.eps, "in_dim": args.in_dim,
            "out_dim": args.out_dim or args.in_dim, "dim": args.dim, "ffn_dim": args.ffn, "freq_dim": 32,
            "text_dim": 24, "text_len": args.text_len, "num_heads": args.heads, "num_layers": args.layers}


def settings_of(args):
    """The metadata each kind needs beside `kind` and `config`."""
    if args.kind == "dit_bidirectional":
        return {}
    settings = {"frames_per_block": args.block, "t_noisy": args.t_noisy, "t_context": args.t_context}
    if args.kind == "dit_serial":  # counts the sink and the block too; -1 is everything
        settings["total_window_frames"] = -1 if args.fifo < 0 else args.sink + args.fifo + args.block
        settings["sink_frames"] = 0 if args.fifo < 0 else args.sink
    elif args.kind == "dit_pass2":
        settings |= {"sink_frames": args.sink, "fifo_frames": args.fifo, "boundary": args.boundary}
    return settings


def inputs_of(args, config):
    g = torch.Generator().manual_seed(args.seed + 1)
    rand = lambda *shape: torch.randn(*shape, generator=g, dtype=torch.float64)
    video = lambda channels: rand(args.batch, config[channels], args.frames, args.height, args.width)
    inputs = {"text": rand(args.batch, args.text_rows or config["text_len"], config["text_dim"])}
    if args.kind == "dit_bidirectional":
        return inputs | {"x": video("in_dim"), "t": torch.rand(args.batch, generator=g, dtype=torch.float64) * 1000}
    inputs |= {"noisy": video("in_dim"), "clean": video("in_dim")}
    return inputs if args.kind == "dit_serial" else inputs | {"grad_out": video("out_dim")}


def parse_args(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", choices=RUNS, default="dit_bidirectional")
    parser.add_argument("--out", required=True)
    for name, value in dict(dim=48, heads=2, layers=2, ffn=64, in_dim=4, out_dim=0, text_len=8, text_rows=0, batch=1,
                            frames=6, height=4, width=6, block=1, sink=1, fifo=2, seed=0).items():
        parser.add_argument("--" + name.replace("_", "-"), type=int, default=value, metavar="N")
    for name, value in dict(t_noisy=750.0, t_context=0.0, eps=1e-6).items():
        parser.add_argument("--" + name.replace("_", "-"), type=float, default=value, metavar="X")
    parser.add_argument("--patch", type=int, nargs=3, default=[1, 2, 2], metavar="N")
    parser.add_argument("--boundary", choices=("open", "frozen"), default="open")
    args = parser.parse_args(argv)
    if args.dim % (2 * args.heads) or args.frames % args.block or args.text_rows > args.text_len:
        parser.error("heads have an even width, blocks fill the video, and text has up to text-len rows")
    if args.patch[0] != 1 or args.height % args.patch[1] or args.width % args.patch[2]:
        parser.error("patches span one frame and fill it")
    if args.sink < 0 or (args.fifo < 0 and args.kind != "dit_serial"):
        parser.error("windows count frames; only dit_serial takes --fifo -1, for everything")
    return args


def main(argv=None):
    args = parse_args(argv)
    torch.set_num_threads(1)  # a recording repeats bit by bit
    config = config_of(args)  # YOURS: the config.json of your model
    weights = random_weights(config, args.seed)  # YOURS: its state_dict(), under Wan's key names
    model = CausalWan(config, weights)  # YOURS: an object called as CausalWan is, holding .config and .weights
    settings, inputs = settings_of(args), inputs_of(args, config)
    tensors = {f"w.{name}": value for name, value in weights.items()}
    tensors |= {f"in.{name}": value for name, value in inputs.items()}
    tensors |= RUNS[args.kind](model, settings, inputs)
    metadata = {"kind": args.kind, "config": config, **settings}
    save_file({name: value.detach().contiguous() for name, value in tensors.items()}, args.out,
              metadata={key: json.dumps(value) for key, value in metadata.items()})


if __name__ == "__main__":
    main()
