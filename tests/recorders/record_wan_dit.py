"""Writes tests/data/wan/diffusion_pytorch_model.safetensors and config.json: a DiT with the official names and layout
that is narrow enough for a test, with random weights, saved by real safetensors. Its text rows are as wide as those of
tests/data/text/tiny_umt5.pth, and its latents those of tests/data/wan/Wan2.1_VAE.pth.

Run: .venv/bin/python tests/recorders/record_wan_dit.py
"""

import json
import pathlib

import torch
from safetensors.torch import save_file

OUT = pathlib.Path(__file__).parents[1] / "data" / "wan"
DIM, FFN, FREQ, TEXT, HEADS, LAYERS, LATENT, PATCH = 32, 48, 16, 32, 2, 2, 16, (1, 2, 2)
state = {}


def linear(name, wide_out, wide_in):
    state[f"{name}.weight"] = torch.randn(wide_out, wide_in) * wide_in ** -0.5
    state[f"{name}.bias"] = torch.randn(wide_out) * 0.02


def attention(name):
    for part in "qkvo":
        linear(f"{name}.{part}", DIM, DIM)
    for part in "qk":
        state[f"{name}.norm_{part}.weight"] = 1 + 0.1 * torch.randn(DIM)


def block(name):
    state[f"{name}.modulation"] = torch.randn(1, 6, DIM) * DIM ** -0.5
    attention(f"{name}.self_attn")
    attention(f"{name}.cross_attn")
    state[f"{name}.norm3.weight"] = 1 + 0.1 * torch.randn(DIM)
    state[f"{name}.norm3.bias"] = torch.randn(DIM) * 0.02
    linear(f"{name}.ffn.0", FFN, DIM)
    linear(f"{name}.ffn.2", DIM, FFN)


def main():
    torch.manual_seed(11)
    volume = PATCH[0] * PATCH[1] * PATCH[2]
    state["patch_embedding.weight"] = torch.randn(DIM, LATENT, *PATCH) * (LATENT * volume) ** -0.5
    state["patch_embedding.bias"] = torch.randn(DIM) * 0.02
    linear("text_embedding.0", DIM, TEXT)
    linear("text_embedding.2", DIM, DIM)
    linear("time_embedding.0", DIM, FREQ)
    linear("time_embedding.2", DIM, DIM)
    linear("time_projection.1", 6 * DIM, DIM)
    for layer in range(LAYERS):
        block(f"blocks.{layer}")
    linear("head.head", LATENT * volume, DIM)
    state["head.modulation"] = torch.randn(1, 2, DIM) * DIM ** -0.5
    save_file(state, OUT / "diffusion_pytorch_model.safetensors", {"format": "pt"})
    config = {"_class_name": "WanModel", "_diffusers_version": "0.30.0", "dim": DIM, "eps": 1e-06, "ffn_dim": FFN,
              "freq_dim": FREQ, "in_dim": LATENT, "model_type": "t2v", "num_heads": HEADS, "num_layers": LAYERS,
              "out_dim": LATENT, "text_dim": TEXT, "text_len": 512}
    # The official file has no text_dim: 4096, which is the default of whoever reads it.
    (OUT / "config.json").write_text(json.dumps(config, indent=2) + "\n")


main()
