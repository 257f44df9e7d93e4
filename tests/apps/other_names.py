#!/usr/bin/env python3
"""Weights under the names of other programs, for the checks of the program. Standard library alone.

other_names.py vae IN OUT          a Wan VAE in safetensors, as AutoencoderKLWan of diffusers names it
other_names.py umt5 IN FOLDER      a UMT5 encoder in safetensors, as transformers names it, in two shards with an index
other_names.py lora BASE OUT WIDTH a LoRA of rank 2 for every self_attn.q of BASE, or of that width if it is not 0
"""

import json
import random
import re
import struct
import sys
from pathlib import Path


def read(path):
    data = Path(path).read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8:8 + length])
    header.pop("__metadata__", None)
    return {name: (t["dtype"], t["shape"], data[8 + length + t["data_offsets"][0]:8 + length + t["data_offsets"][1]])
            for name, t in header.items()}


def write(path, tensors):
    header, body = {}, b""
    for name, (dtype, shape, data) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    Path(path).write_bytes(struct.pack("<Q", len(text)) + text + body)


def vae_name(name, per_stage):
    for official, theirs in (("coder.conv1.", "coder.conv_in."), ("head.0.", "norm_out."), ("head.2.", "conv_out."),
                             ("middle.0.", "mid_block.resnets.0."), ("middle.1.", "mid_block.attentions.0."),
                             ("middle.2.", "mid_block.resnets.1."), ("residual.0.", "norm1."), ("residual.2.", "conv1."),
                             ("residual.3.", "norm2."), ("residual.6.", "conv2."), ("shortcut.", "conv_shortcut."),
                             ("downsamples.", "down_blocks.")):
        name = name.replace(official, theirs)
    name = re.sub("^conv1", "quant_conv", re.sub("^conv2", "post_quant_conv", name))
    if up := re.match(r"decoder\.upsamples\.(\d+)\.(.*)", name):
        stage, place = divmod(int(up[1]), per_stage)
        part = f"resnets.{place}" if place < per_stage - 1 else "upsamplers.0"
        name = f"decoder.up_blocks.{stage}.{part}.{up[2]}"
    return name


def vae(source, out):
    tensors = read(source)
    steps = [int(m[1]) for name in tensors if (m := re.match(r"decoder\.upsamples\.(\d+)\.resample", name))]
    write(out, {vae_name(name, min(steps) + 1): tensor for name, tensor in tensors.items()})


def umt5_name(name):
    rest = {"attn.q": "0.SelfAttention.q", "attn.k": "0.SelfAttention.k", "attn.v": "0.SelfAttention.v",
            "attn.o": "0.SelfAttention.o", "norm1": "0.layer_norm", "norm2": "1.layer_norm",
            "ffn.gate.0": "1.DenseReluDense.wi_0", "ffn.fc1": "1.DenseReluDense.wi_1", "ffn.fc2": "1.DenseReluDense.wo",
            "pos_embedding.embedding": "0.SelfAttention.relative_attention_bias"}
    if block := re.match(r"blocks\.(\d+)\.(.*)\.weight", name):
        return f"encoder.block.{block[1]}.layer.{rest[block[2]]}.weight"
    return {"token_embedding.weight": "shared.weight", "norm.weight": "encoder.final_layer_norm.weight"}[name]


def umt5(source, folder):
    tensors = {umt5_name(name): tensor for name, tensor in read(source).items()}
    shards = {name: f"model-0000{1 + i % 2}-of-00002.safetensors" for i, name in enumerate(tensors)}
    for shard in set(shards.values()):
        write(Path(folder) / shard, {name: t for name, t in tensors.items() if shards[name] == shard})
    (Path(folder) / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": shards}))


def lora(base, out, width):
    numbers = random.Random(1)
    tensors = {}
    for name, (_, shape, _) in read(base).items():
        if not name.endswith("self_attn.q.weight"):
            continue
        for part, size in ((".lora_A", [2, int(width) or shape[1]]), (".lora_B", [int(width) or shape[0], 2])):
            data = struct.pack(f"<{size[0] * size[1]}f", *(numbers.gauss(0, 0.3) for _ in range(size[0] * size[1])))
            tensors["base_model.model." + name.removesuffix(".weight") + part + ".weight"] = ("F32", size, data)
    write(out, tensors)


if __name__ == "__main__":
    {"vae": vae, "umt5": umt5, "lora": lora}[sys.argv[1]](*sys.argv[2:])
