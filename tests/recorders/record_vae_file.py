"""Writes tests/data/wan/Wan2.1_VAE.pth: a VAE with the official names and layout (194 tensors, 16 latent channels) that
is narrow enough for a test, with random weights, saved by real torch.

Run: .venv/bin/python tests/recorders/record_vae_file.py
"""

import pathlib
from collections import OrderedDict

import torch

OUT = pathlib.Path(__file__).parents[1] / "data" / "wan"
DIM, Z, MULT, BLOCKS, TEMPORAL = 4, 16, [1, 2, 4, 4], 2, [False, True, True]
state = OrderedDict()


def conv(name, *shape):
    fan_in = torch.Size(shape[1:]).numel()
    state[f"{name}.weight"] = torch.randn(*shape) / fan_in ** 0.5
    state[f"{name}.bias"] = torch.randn(shape[0]) * 0.02


def gamma(name, *shape):
    state[f"{name}.gamma"] = 1 + 0.1 * torch.randn(*shape)


def residual(name, wide_in, wide_out):
    gamma(f"{name}.residual.0", wide_in, 1, 1, 1)
    conv(f"{name}.residual.2", wide_out, wide_in, 3, 3, 3)
    gamma(f"{name}.residual.3", wide_out, 1, 1, 1)
    conv(f"{name}.residual.6", wide_out, wide_out, 3, 3, 3)
    if wide_in != wide_out:
        conv(f"{name}.shortcut", wide_out, wide_in, 1, 1, 1)


def middle(name, width):
    residual(f"{name}.0", width, width)
    gamma(f"{name}.1.norm", width, 1, 1)
    conv(f"{name}.1.to_qkv", 3 * width, width, 1, 1)
    conv(f"{name}.1.proj", width, width, 1, 1)
    residual(f"{name}.2", width, width)


def encoder():
    conv("encoder.conv1", DIM, 3, 3, 3, 3)
    index, width = 0, DIM
    for stage, mult in enumerate(MULT):
        for _ in range(BLOCKS):
            residual(f"encoder.downsamples.{index}", width, DIM * mult)
            index, width = index + 1, DIM * mult
        if stage + 1 < len(MULT):
            conv(f"encoder.downsamples.{index}.resample.1", width, width, 3, 3)
            if TEMPORAL[stage]:
                conv(f"encoder.downsamples.{index}.time_conv", width, width, 3, 1, 1)
            index += 1
    middle("encoder.middle", width)
    gamma("encoder.head.0", width, 1, 1, 1)
    conv("encoder.head.2", 2 * Z, width, 3, 3, 3)


def decoder():
    width = DIM * MULT[-1]
    conv("decoder.conv1", width, Z, 3, 3, 3)
    middle("decoder.middle", width)
    index = 0
    for stage, mult in enumerate(MULT[::-1]):
        for _ in range(BLOCKS + 1):
            residual(f"decoder.upsamples.{index}", width, DIM * mult)
            index, width = index + 1, DIM * mult
        if stage + 1 < len(MULT):
            conv(f"decoder.upsamples.{index}.resample.1", width // 2, width, 3, 3)
            if TEMPORAL[::-1][stage]:
                conv(f"decoder.upsamples.{index}.time_conv", 2 * width, width, 3, 1, 1)
            index, width = index + 1, width // 2
    gamma("decoder.head.0", width, 1, 1, 1)
    conv("decoder.head.2", 3, width, 3, 3, 3)


def main():
    torch.manual_seed(0)
    encoder()
    conv("conv1", 2 * Z, 2 * Z, 1, 1, 1)
    conv("conv2", Z, Z, 1, 1, 1)
    decoder()
    OUT.mkdir(parents=True, exist_ok=True)
    torch.save(state, OUT / "Wan2.1_VAE.pth")
    print(f"{len(state)} tensors")


if __name__ == "__main__":
    main()
