"""Writes tests/data/vbench: the files that VBench's ViTs are loaded from, under their official names and in their
layout, but of small networks, by real torch; and expected.pt with what plain PyTorch computes from them.

Run: .venv-cuda/bin/python tests/recorders/record_vit_files.py
"""

import argparse
import json
import pathlib
from collections import OrderedDict

import torch
import torch.nn.functional as F

OUT = pathlib.Path(__file__).parents[1] / "data" / "vbench"
DIM, HEADS, DEPTH, MLP, EMBED = 64, 1, 2, 16, 24
IMAGENET = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
CLIP = ((0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711))


def numbers(*shape, scale=1.0, base=0.0, dtype=torch.float32):
    return (base + scale * torch.randn(shape)).to(dtype)


def norm(state, name):
    state[name + ".weight"] = numbers(DIM, scale=0.1, base=1.0)
    state[name + ".bias"] = numbers(DIM, scale=0.1)


def linear(state, name, out, into, dtype=torch.float32):
    state[name + ".weight"] = numbers(out, into, scale=into**-0.5, dtype=dtype)
    state[name + ".bias"] = numbers(out, scale=0.1, dtype=dtype)


def dino_state(patch, grid, layer_scale=False, clip_tower=False):
    state = OrderedDict(cls_token=numbers(1, 1, DIM), pos_embed=numbers(1, 1 + grid * grid, DIM, scale=0.5))
    state["patch_embed.proj.weight"] = numbers(DIM, 3, patch, patch, scale=1 / patch)
    state["patch_embed.proj.bias"] = numbers(DIM, scale=0.1)
    if clip_tower:
        norm(state, "pos_drop")
    for i in range(DEPTH):
        block = f"blocks.{i}."
        norm(state, block + "norm1")
        linear(state, block + "attn.qkv", 3 * DIM, DIM)
        linear(state, block + "attn.proj", DIM, DIM)
        norm(state, block + "norm2")
        linear(state, block + "mlp.fc1", MLP, DIM)
        linear(state, block + "mlp.fc2", DIM, MLP)
        if layer_scale:
            state[block + "ls1.gamma"], state[block + "ls2.gamma"] = numbers(DIM), numbers(DIM)
    norm(state, "norm")
    if clip_tower:
        state["proj"] = numbers(DIM, EMBED, scale=DIM**-0.5)
    return state


class QuickGelu(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x * torch.sigmoid(1.702 * x)


class ResidualBlock(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.attn = torch.nn.MultiheadAttention(DIM, HEADS)
        self.ln_1 = torch.nn.LayerNorm(DIM)
        self.mlp = torch.nn.Sequential(OrderedDict(
            c_fc=torch.nn.Linear(DIM, MLP), gelu=QuickGelu(), c_proj=torch.nn.Linear(MLP, DIM)))
        self.ln_2 = torch.nn.LayerNorm(DIM)

    def forward(self, x: torch.Tensor):
        y = self.ln_1(x)
        x = x + self.attn(y, y, y, need_weights=False)[0]
        return x + self.mlp(self.ln_2(x))


class Transformer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.width = DIM
        self.resblocks = torch.nn.Sequential(*[ResidualBlock() for _ in range(DEPTH)])

    def forward(self, x: torch.Tensor):
        return self.resblocks(x)


class VisionTransformer(torch.nn.Module):
    def __init__(self, patch):
        super().__init__()
        self.input_resolution = 224
        self.conv1 = torch.nn.Conv2d(3, DIM, patch, patch, bias=False)
        self.class_embedding = torch.nn.Parameter(torch.zeros(DIM))
        self.positional_embedding = torch.nn.Parameter(torch.zeros(1 + (224 // patch) ** 2, DIM))
        self.ln_pre = torch.nn.LayerNorm(DIM)
        self.transformer = Transformer()
        self.ln_post = torch.nn.LayerNorm(DIM)
        self.proj = torch.nn.Parameter(torch.zeros(DIM, EMBED))

    def forward(self, x: torch.Tensor):
        x = self.conv1(x).flatten(2).transpose(1, 2)
        first = self.class_embedding.expand(x.shape[0], 1, -1)
        x = self.ln_pre(torch.cat([first, x], dim=1) + self.positional_embedding)
        x = self.transformer(x.transpose(0, 1))[0]
        return self.ln_post(x) @ self.proj


class Clip(torch.nn.Module):
    """The names of OpenAI's CLIP; of its text tower only what stands beside the image tower."""

    def __init__(self, patch):
        super().__init__()
        self.visual = VisionTransformer(patch)
        self.token_embedding = torch.nn.Embedding(3, 4)
        self.ln_final = torch.nn.LayerNorm(4)
        self.positional_embedding = torch.nn.Parameter(torch.zeros(2, 4))
        self.text_projection = torch.nn.Parameter(torch.zeros(4, 2))
        self.logit_scale = torch.nn.Parameter(torch.zeros([]))

    def forward(self, image: torch.Tensor):
        return self.visual(image)


def clip_archive(file, patch):
    """As CLIP's own: a scripted module, matrices in half precision, norms and embeddings in single."""
    model = Clip(patch)
    for name, parameter in model.visual.named_parameters():
        is_wide = "ln_" in name or "embedding" in name
        is_norm = "ln_" in name and name.endswith("weight")
        scale = parameter.shape[-1] ** -0.5 if parameter.dim() == 2 else 1 / patch if parameter.dim() == 4 else 0.1
        parameter.data = numbers(*parameter.shape, scale=scale, base=float(is_norm),
                              dtype=torch.float32 if is_wide else torch.float16)
    torch.jit.script(model).save(OUT / file)
    return OrderedDict((name, value.detach().float()) for name, value in model.visual.state_dict().items())


def dino_names(state):
    """CLIP's names as DINO's, for the reference below."""
    renamed = OrderedDict(cls_token=state["class_embedding"].view(1, 1, -1), proj=state["proj"])
    renamed["pos_embed"] = state["positional_embedding"][None]
    for old, value in state.items():
        name = old.replace("transformer.resblocks", "blocks").replace("ln_1", "norm1").replace("ln_2", "norm2")
        name = name.replace("in_proj_", "qkv.").replace("out_proj", "proj").replace("c_fc", "fc1")
        name = name.replace("c_proj", "fc2").replace("ln_pre", "pos_drop").replace("ln_post", "norm")
        renamed[name.replace("conv1", "patch_embed.proj")] = value
    return renamed


def features(x, state, eps, gelu=F.gelu, final_norm=True):
    """CLS features by plain PyTorch, [B, D]. `x` is [B, 3, H, W], normalised."""
    ln = lambda x, name: F.layer_norm(x, (DIM,), state[name + ".weight"], state[name + ".bias"], eps)
    fc = lambda x, name: F.linear(x, state[name + ".weight"], state[name + ".bias"])
    weight = state["patch_embed.proj.weight"]
    x = F.conv2d(x, weight, state.get("patch_embed.proj.bias"), stride=weight.shape[-1])
    rows, columns = x.shape[2:]
    positions, side = state["pos_embed"], round((state["pos_embed"].shape[1] - 1) ** 0.5)
    if (rows, columns) != (side, side):
        grid = positions[:, 1:].reshape(1, side, side, DIM).permute(0, 3, 1, 2)
        scales = ((rows + 0.1) / side, (columns + 0.1) / side)
        grid = F.interpolate(grid, scale_factor=scales, mode="bicubic", recompute_scale_factor=False)
        positions = torch.cat([positions[:, :1], grid.flatten(2).transpose(1, 2)], 1)
    x = torch.cat([state["cls_token"].expand(len(x), -1, -1), x.flatten(2).transpose(1, 2)], 1) + positions
    if "pos_drop.weight" in state:
        x = ln(x, "pos_drop")
    for i in range(DEPTH):
        block = f"blocks.{i}."
        q, k, v = fc(ln(x, block + "norm1"), block + "attn.qkv").unflatten(-1, (3, HEADS, -1)).permute(2, 0, 3, 1, 4)
        weights = (q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5).softmax(-1)
        y = fc((weights @ v).transpose(1, 2).flatten(2), block + "attn.proj")
        x = x + y * state.get(block + "ls1.gamma", 1)
        y = fc(gelu(fc(ln(x, block + "norm2"), block + "mlp.fc1")), block + "mlp.fc2")
        x = x + y * state.get(block + "ls2.gamma", 1)
    x = ln(x[:, 0], "norm") if final_norm else x[:, 0]
    return x @ state["proj"] if "proj" in state else x


def normalised(x, norm):
    return (x - torch.tensor(norm[0]).view(1, 3, 1, 1)) / torch.tensor(norm[1]).view(1, 3, 1, 1)


def cropped(x):
    top, left = round((x.shape[2] - 224) / 2), round((x.shape[3] - 224) / 2)
    return x[:, :, top:top + 224, left:left + 224]


def dreamsim(pictures):
    """The unpacked folder, and the embeddings of pictures in [0, 1]."""
    folder = OUT / "dreamsim"
    (folder / "ensemble_lora").mkdir(parents=True, exist_ok=True)
    dino, clip, open_clip = dino_state(8, 3), dino_state(8, 3, clip_tower=True), dino_state(8, 3, clip_tower=True)
    teacher = {"backbone." + name: value for name, value in dino.items()}
    student = {"module.head.mlp.0.weight": numbers(3, 2)}
    torch.save({"student": student, "teacher": teacher, "epoch": 400, "args": argparse.Namespace(arch="vit_base")},
               folder / "dino_vitb16_pretrain.pth")
    torch.save({"state_dict": clip}, folder / "clip_vitb16_pretrain.pth.tar")
    torch.save({"state_dict": open_clip}, folder / "open_clip_vitb16_pretrain.pth.tar")
    rank, alpha, adapters = 4, 2, OrderedDict()
    for index, state in enumerate((dino, clip, open_clip)):
        for i in range(DEPTH):
            name = f"blocks.{i}.attn.qkv"
            a, b = numbers(rank, DIM, scale=0.1), numbers(3 * DIM, rank, scale=0.5)
            place = f"base_model.model.extractor_list.{index}.model.{name}."
            adapters[place + "lora_A.weight"], adapters[place + "lora_B.weight"] = a, b
            state[name + ".weight"] = state[name + ".weight"] + alpha / rank * b @ a
    torch.save(adapters, folder / "ensemble_lora" / "adapter_model.bin")
    config = {"peft_type": "LORA", "r": rank, "lora_alpha": alpha, "lora_dropout": 0.3, "target_modules": ["qkv"]}
    (folder / "ensemble_lora" / "adapter_config.json").write_text(json.dumps(config, indent=1) + "\n")
    x, quick = F.interpolate(pictures, (224, 224), mode="bicubic", antialias=True) / 255, QuickGelu()
    rows = torch.cat([features(normalised(x, IMAGENET), dino, 1e-6, final_norm=False),
                      features(normalised(x, CLIP), clip, 1e-5, quick),
                      features(normalised(x, CLIP), open_clip, 1e-5)], 1)
    return F.normalize(rows - rows.mean(1, keepdim=True), dim=1)


@torch.no_grad()
def main():
    OUT.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(7)
    pictures = torch.randint(0, 256, (2, 20, 31, 3), dtype=torch.uint8)
    planes = pictures.permute(0, 3, 1, 2).float()
    expected = {"pictures": pictures, "dreamsim": dreamsim(planes)}

    dino = dino_state(8, 3)
    torch.save(dino, OUT / "dino_vitbase16_pretrain.pth")
    small = F.interpolate(planes, (224, int(224 * 31 / 20)), mode="bilinear") / 255
    expected["dino"] = features(normalised(small, IMAGENET), dino, 1e-6)

    dinov2 = dino_state(8, 5, layer_scale=True)
    torch.save(OrderedDict(dinov2, mask_token=numbers(1, DIM)), OUT / "dinov2_vitb14_pretrain.pth")
    small = F.interpolate(planes, (256, int(256 * 31 / 20)), mode="bicubic", antialias=True)
    expected["dinov2"] = features(normalised(cropped(small) / 255, IMAGENET), dinov2, 1e-6)

    small = F.interpolate(planes, (224, int(224 * 31 / 20)), mode="bicubic")
    small, quick = normalised(cropped(small) / 255, CLIP), QuickGelu()
    expected["clip"] = features(small, dino_names(clip_archive("ViT-B-32.pt", 16)), 1e-5, quick)
    rows = F.normalize(features(small, dino_names(clip_archive("ViT-L-14.pt", 14)), 1e-5, quick), dim=1)
    head = OrderedDict(weight=numbers(1, EMBED), bias=numbers(1))
    torch.save(head, OUT / "sa_0_4_vit_l_14_linear.pth")
    expected["aesthetic"] = F.linear(rows, head["weight"], head["bias"])[:, 0] / 10
    torch.save(expected, OUT / "expected.pt")


if __name__ == "__main__":
    main()
