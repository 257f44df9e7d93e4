"""The causal Wan DiT in eager PyTorch, written to be fast: what `sgf bench generator` is measured against.

Library kernels throughout (linear, layer_norm, rms_norm, scaled_dot_product_attention), keys cached with their rotation,
the prompt's cross-attention keys and values computed once a rollout, and no work that nobody reads.
Shapes: B batch, F frames, L tokens (frame, row, column), N heads, D head width, E = N * D.
"""
import functools

import torch
import torch.nn.functional as F


class EagerDit:
    def __init__(self, config, weights):
        self.c, self.w = config, weights

    def linear(self, name, x):
        return F.linear(x, self.w[name + ".weight"], self.w[name + ".bias"])

    def heads(self, name, x, norm=None):
        """[B, L, E] -> [B, N, L, D]."""
        y = self.linear(name, x)
        if norm:
            y = F.rms_norm(y, y.shape[-1:], self.w[norm], self.c["eps"])
        return y.unflatten(-1, (self.c["num_heads"], -1)).transpose(1, 2)

    def embed_text(self, text):
        text = F.pad(text, (0, 0, 0, self.c["text_len"] - text.shape[1]))
        return self.linear("text_embedding.2", F.gelu(self.linear("text_embedding.0", text), approximate="tanh"))

    def text_keys_values(self, layer, embedded):
        name = f"blocks.{layer}.cross_attn."
        return self.heads(name + "k", embedded, name + "norm_k.weight"), self.heads(name + "v", embedded)

    def embed_patches(self, latents):
        _, ph, pw = self.c["patch_size"]
        b, f, c, h, w = latents.shape
        rows = latents.reshape(b, f, c, h // ph, ph, w // pw, pw).permute(0, 1, 3, 5, 2, 4, 6).reshape(b, -1, c * ph * pw)
        return F.linear(rows, self.w["patch_embedding.weight"].flatten(1), self.w["patch_embedding.bias"])

    def embed_times(self, times):
        half = self.c["freq_dim"] // 2
        angle = times.double().unsqueeze(-1) * frequencies(half)
        sinusoid = torch.cat([angle.cos(), angle.sin()], -1).to(self.w["head.head.weight"].dtype)
        e = self.linear("time_embedding.2", F.silu(self.linear("time_embedding.0", sinusoid)))
        return e, self.linear("time_projection.1", F.silu(e)).unflatten(-1, (6, -1))

    def modulated(self, x, shift, scale):
        y = F.layer_norm(x, x.shape[-1:], eps=self.c["eps"]).unflatten(1, (shift.shape[1], -1))
        return torch.addcmul(shift.unsqueeze(2), y, 1 + scale.unsqueeze(2)).flatten(1, 2)

    def gated(self, x, y, gate):
        frames = (gate.shape[1], -1)
        return torch.addcmul(x.unflatten(1, frames), y.unflatten(1, frames), gate.unsqueeze(2)).flatten(1, 2)

    def attention(self, name, x, gate, y):
        return self.gated(x, self.linear(name, y.transpose(1, 2).flatten(2)), gate)

    def rest(self, layer, x, text, rows):
        """Cross-attention and FFN."""
        name, w = f"blocks.{layer}.", self.w
        h = F.layer_norm(x, x.shape[-1:], w[name + "norm3.weight"], w[name + "norm3.bias"], self.c["eps"])
        q = self.heads(name + "cross_attn.q", h, name + "cross_attn.norm_q.weight")
        keys, values = text[layer] if isinstance(text, list) else self.text_keys_values(layer, text)
        y = F.scaled_dot_product_attention(q, keys, values)
        x = x + self.linear(name + "cross_attn.o", y.transpose(1, 2).flatten(2))
        h = self.modulated(x, rows[3], rows[4])
        return self.gated(x, self.linear(name + "ffn.2", F.gelu(self.linear(name + "ffn.0", h), approximate="tanh")), rows[5])

    def qkv(self, layer, h, turn, queries_from=0):
        name = f"blocks.{layer}.self_attn."
        q = rotate(self.heads(name + "q", h[:, queries_from:], name + "norm_q.weight"), turn[queries_from:])
        return q, rotate(self.heads(name + "k", h, name + "norm_k.weight"), turn), self.heads(name + "v", h)

    def head(self, x, e, shape):
        shift, scale = (e.unsqueeze(2) + self.w["head.modulation"].unsqueeze(1)).unbind(2)
        patches = self.linear("head.head", self.modulated(x, shift, scale))
        _, ph, pw = self.c["patch_size"]
        b, f, _, h, w = shape
        c = self.c["out_dim"]
        return patches.reshape(b, f, h // ph, w // pw, ph, pw, c).permute(0, 1, 6, 2, 4, 3, 5).reshape(b, f, c, h, w)

    def rows(self, layer, e0):
        return (e0 + self.w[f"blocks.{layer}.modulation"].unsqueeze(1)).unbind(2)

    def bidirectional(self, latents, times, text):
        e, e0 = self.embed_times(times)
        x, turn = self.embed_patches(latents), self.turn(range(latents.shape[1]), latents)
        for layer in range(self.c["num_layers"]):
            rows = self.rows(layer, e0)
            q, k, v = self.qkv(layer, self.modulated(x, rows[0], rows[1]), turn)
            y = F.scaled_dot_product_attention(q, k, v)
            x = self.rest(layer, self.attention(f"blocks.{layer}.self_attn.o", x, rows[2], y), text, rows)
        return self.head(x, e, latents.shape)

    def serial(self, latents, times, text, block, cache, write=False):
        """One block against the cache. A write call returns nothing and skips what nobody reads."""
        e, e0 = self.embed_times(times)
        x, turn = self.embed_patches(latents), self.turn(range(*block), latents)
        last = self.c["num_layers"] - 1
        for layer in range(last + 1):
            rows = self.rows(layer, e0)
            h = self.modulated(x, rows[0], rows[1])
            if write and layer == last:
                name = f"blocks.{layer}.self_attn."
                k = rotate(self.heads(name + "k", h, name + "norm_k.weight"), turn)
                cache.write(layer, block, k, self.heads(name + "v", h))
                return None
            q, k, v = self.qkv(layer, h, turn)
            if write:
                cache.write(layer, block, k, v)
            y = F.scaled_dot_product_attention(q, *cache.with_history(layer, block, k, v))
            x = self.rest(layer, self.attention(f"blocks.{layer}.self_attn.o", x, rows[2], y), text, rows)
        return self.head(x, e, latents.shape)

    def parallel(self, latents, context, time, text, mask):
        """Pass 2, open boundary. `context` is without the last block, which nobody reads."""
        b, f = latents.shape[:2]
        n = context.shape[1]
        times = latents.new_full((b, n + f), time, dtype=torch.float64)
        times[:, :n] = 0
        e, e0 = self.embed_times(times)
        x = self.embed_patches(torch.cat([context, latents], 1))
        turn = self.turn([*range(n), *range(f)], latents)
        skip = x.shape[1] // (n + f) * n
        for layer in range(self.c["num_layers"]):
            last = layer == self.c["num_layers"] - 1
            rows = self.rows(layer, e0)
            q, k, v = self.qkv(layer, self.modulated(x, rows[0], rows[1]), turn, skip if last else 0)
            if last:
                x, rows = x[:, skip:], [row[:, n:] for row in rows]
            y = mask.attend(q, k, v, skip if last else 0)
            x = self.rest(layer, self.attention(f"blocks.{layer}.self_attn.o", x, rows[2], y), text, rows)
        return self.head(x, e[:, n:], latents.shape)

    def turn(self, positions, latents):
        _, ph, pw = self.c["patch_size"]
        width = self.c["dim"] // self.c["num_heads"]
        return rotation(tuple(positions), latents.shape[3] // ph, latents.shape[4] // pw, width, latents.dtype)


@functools.lru_cache(maxsize=None)
def frequencies(half):
    return 10000.0 ** (-torch.arange(half, dtype=torch.float64) / half)


@functools.lru_cache(maxsize=None)
def rotation(positions, height, width, head, dtype):
    """Turns [L, D/2] as complex numbers, kept for the next call: pairs for time first, then height, then width."""
    space = head // 6
    places = torch.meshgrid(torch.tensor(positions), torch.arange(height), torch.arange(width), indexing="ij")
    angles = [place.flatten().double().unsqueeze(1) * 10000.0 ** (-torch.arange(n, dtype=torch.float64) / max(n, 1))
              for place, n in zip(places, (head // 2 - 2 * space, space, space))]
    return torch.polar(torch.ones((), dtype=torch.float64), torch.cat(angles, 1)).to(
        torch.complex64 if dtype == torch.float32 else torch.complex128)


def rotate(x, turn):
    """x [B, N, L, D], not contiguous: heads come last in memory but one."""
    pairs = torch.view_as_complex(x.transpose(1, 2).unflatten(-1, (-1, 2)))
    return torch.view_as_real(pairs * turn.unsqueeze(1)).flatten(-2).transpose(1, 2)


class Window:
    """Sink plus FIFO: which earlier frames a block sees."""

    def __init__(self, sink, fifo):
        self.sink, self.fifo = sink, fifo

    def seen(self, begin):
        recent = max(begin - self.fifo, min(self.sink, begin))
        return [(a, z) for a, z in ((0, min(self.sink, begin)), (recent, begin)) if z > a]


class Cache:
    """Keys (rotated) and values of every frame: the video is short, so a plain buffer is the fastest ring."""

    def __init__(self, window, config, frames, tokens, like):
        shape = (config["num_layers"], like.shape[0], config["num_heads"], frames * tokens, config["dim"] // config["num_heads"])
        self.window, self.tokens = window, tokens
        self.keys, self.values = like.new_zeros(shape), like.new_zeros(shape)

    def write(self, layer, block, keys, values):
        a, z = block[0] * self.tokens, block[1] * self.tokens
        self.keys[layer, :, :, a:z], self.values[layer, :, :, a:z] = keys, values

    def with_history(self, layer, block, keys, values):
        runs = merged([(a * self.tokens, z * self.tokens) for a, z in self.window.seen(block[0])])
        if not runs:
            return keys, values
        return (torch.cat([*(self.keys[layer, :, :, a:z] for a, z in runs), keys], 2),
                torch.cat([*(self.values[layer, :, :, a:z] for a, z in runs), values], 2))


def merged(runs):
    if len(runs) == 2 and runs[0][1] == runs[1][0]:
        return [(runs[0][0], runs[1][1])]
    return runs


class DenseMask:
    """Pass 2's attention as one call with a boolean mask."""

    def __init__(self, window, frames, block, tokens):
        n = frames - block
        mask = torch.zeros(n + frames, n + frames, dtype=torch.bool)
        for begin in range(0, frames, block):
            for copy in (0, n):
                if copy == 0 and begin >= n:
                    continue
                for a, z in window.seen(begin):
                    mask[copy + begin : copy + begin + block, a:z] = True
                mask[copy + begin : copy + begin + block, copy + begin : copy + begin + block] = True
        self.mask = mask.repeat_interleave(tokens, 0).repeat_interleave(tokens, 1)

    def attend(self, q, k, v, first):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=self.mask[first:])


class BlockCalls:
    """Pass 2's attention as one dense call a block: only visible pairs are computed."""

    def __init__(self, window, frames, block, tokens):
        n = frames - block
        self.calls = []
        for copy in (0, n):
            for begin in range(0, n if copy == 0 else frames, block):
                own = (copy + begin, copy + begin + block)
                runs = [(a * tokens, z * tokens) for a, z in [*window.seen(begin), own]]
                joined = runs[:1]
                for run in runs[1:]:
                    if joined[-1][1] == run[0]:
                        joined[-1] = (joined[-1][0], run[1])
                    else:
                        joined.append(run)
                self.calls.append((own[0] * tokens, own[1] * tokens, joined))

    def attend(self, q, k, v, first):
        parts = []
        for begin, end, runs in self.calls:
            if begin < first:
                continue
            keys = [k[:, :, a:z] for a, z in runs]
            values = [v[:, :, a:z] for a, z in runs]
            keys, values = (keys[0], values[0]) if len(runs) == 1 else (torch.cat(keys, 2), torch.cat(values, 2))
            parts.append(F.scaled_dot_product_attention(q[:, :, begin - first : end - first], keys, values))
        return torch.cat(parts, 2)
