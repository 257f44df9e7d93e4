"""Writes tests/data/text/tiny_umt5.pth, a small UMT5 encoder under Wan's names as torch saves it, in bfloat16, and
tiny_umt5.json beside it: prompts, their ids by tiny_unigram.model, and their rows, computed in float64 by the plain
encoder below, which shares nothing with the program.

Run with torch, ftfy and sentencepiece installed: python tests/recorders/record_text_encoder.py
"""

import json
import math
import pathlib
import sys
from collections import OrderedDict

import sentencepiece
import torch

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from record_prompt_cleaning import clean  # noqa: E402

OUT = pathlib.Path(__file__).parents[1] / "data" / "text"
VOCAB, DIM, FFN, HEADS, LAYERS, BUCKETS = 600, 32, 48, 4, 2, 32
PROMPTS = [
    "A red panda rides a bicycle through the rain.",
    "“Curly” quotes &amp; cafÃ©",
    "",
    "色调艳丽，过曝",
]


def weights():
    torch.manual_seed(7)
    state = OrderedDict()

    def add(name, *shape, scale=None):
        state[name] = (torch.randn(*shape) * (scale or shape[-1] ** -0.5)).to(torch.bfloat16)

    add("token_embedding.weight", VOCAB, DIM, scale=1.0)
    for layer in range(LAYERS):
        block = f"blocks.{layer}."
        state[block + "norm1.weight"] = (1 + 0.1 * torch.randn(DIM)).to(torch.bfloat16)
        for name in "qkvo":
            add(block + f"attn.{name}.weight", DIM, DIM)
        state[block + "norm2.weight"] = (1 + 0.1 * torch.randn(DIM)).to(torch.bfloat16)
        add(block + "ffn.gate.0.weight", FFN, DIM)
        add(block + "ffn.fc1.weight", FFN, DIM)
        add(block + "ffn.fc2.weight", DIM, FFN)
        add(block + "pos_embedding.embedding.weight", BUCKETS, HEADS)
    state["norm.weight"] = (1 + 0.1 * torch.randn(DIM)).to(torch.bfloat16)
    return state


def bucket(offset):
    """Of key - query."""
    half, exact = BUCKETS // 2, BUCKETS // 4
    distance = abs(offset)
    if distance >= exact:
        distance = min(half - 1, exact + int(math.log(distance / exact) / math.log(128 / exact) * (half - exact)))
    return distance + (half if offset > 0 else 0)


def norm(x, weight):
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-6) * weight


def encode(state, ids):
    w = {name: tensor.double() for name, tensor in state.items()}
    x = w["token_embedding.weight"][ids]
    length = len(ids)
    buckets = torch.tensor([[bucket(key - query) for key in range(length)] for query in range(length)])
    for layer in range(LAYERS):
        at = {name: w[f"blocks.{layer}.{name}.weight"] for name in
              ["norm1", "attn.q", "attn.k", "attn.v", "attn.o", "norm2", "ffn.gate.0", "ffn.fc1", "ffn.fc2"]}
        bias = w[f"blocks.{layer}.pos_embedding.embedding.weight"][buckets]
        y = norm(x, at["norm1"])
        q, k, v = [(y @ at[f"attn.{name}"].T).view(length, HEADS, -1) for name in "qkv"]
        heads = [torch.softmax(q[:, h] @ k[:, h].T + bias[..., h], -1) @ v[:, h] for h in range(HEADS)]
        x = x + torch.cat(heads, -1) @ at["attn.o"].T
        y = norm(x, at["norm2"])
        gate = torch.nn.functional.gelu(y @ at["ffn.gate.0"].T, approximate="tanh")
        x = x + ((y @ at["ffn.fc1"].T) * gate) @ at["ffn.fc2"].T
    return norm(x, w["norm.weight"])


def main():
    state = weights()
    torch.save(state, OUT / "tiny_umt5.pth")
    tokenizer = sentencepiece.SentencePieceProcessor(str(OUT / "tiny_unigram.model"))
    cases = []
    for prompt in PROMPTS:
        ids = tokenizer.encode(clean(prompt)) + [1]
        cases.append({"prompt": prompt, "cleaned": clean(prompt), "ids": ids, "rows": encode(state, ids).tolist()})
    (OUT / "tiny_umt5.json").write_text(json.dumps({"cases": cases}) + "\n")


if __name__ == "__main__":
    main()
