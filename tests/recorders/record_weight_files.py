"""Writes tests/data/weights: small weight files by real torch and safetensors, and expected.json beside them
with what Python reads from each, which the C++ readers must repeat.

Run: .venv-cuda/bin/python tests/recorders/record_weight_files.py
"""

import argparse
import fractions
import io
import json
import os
import pathlib
import zipfile
from collections import OrderedDict

import numpy
import torch
from safetensors.torch import save_file

OUT = pathlib.Path(__file__).parents[1] / "data" / "weights"
NAMES = {
    torch.bool: "BOOL", torch.uint8: "U8", torch.int8: "I8", torch.uint16: "U16", torch.int16: "I16",
    torch.uint32: "U32", torch.int32: "I32", torch.uint64: "U64", torch.int64: "I64",
    torch.float8_e4m3fn: "F8_E4M3", torch.float8_e5m2: "F8_E5M2", torch.float16: "F16", torch.bfloat16: "BF16",
    torch.float32: "F32", torch.float64: "F64", torch.float8_e8m0fnu: "F8_E8M0",
    torch.float8_e4m3fnuz: "F8_E4M3FNUZ", torch.float8_e5m2fnuz: "F8_E5M2FNUZ", torch.complex64: "C64",
}
expected = {}


def describe(tensor):
    real = torch.view_as_real(tensor) if tensor.is_complex() else tensor
    values = real.detach().to(torch.float64).flatten().tolist()
    return {"dtype": NAMES[tensor.dtype], "shape": list(tensor.shape), "values": values}


def expect(file, fmt, tensors, metadata=None):
    entries = {name: describe(tensor) for name, tensor in tensors.items()}
    expected[file] = {"format": fmt, "tensors": entries, "metadata": metadata or {}}


def every_dtype():
    ramp = torch.linspace(-3, 3, 6).reshape(2, 3)
    unsigned = {torch.bool, torch.uint8, torch.uint16, torch.uint32, torch.uint64, torch.float8_e8m0fnu}
    tensors = {f"x.{NAMES[d]}": (ramp.abs() if d in unsigned else ramp).to(d) for d in NAMES}
    tensors["x.C64"] = torch.complex(ramp, 1 - ramp)
    return tensors


def module_state():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2)).state_dict()


def safetensors_files():
    tensors = every_dtype() | {"scalar": torch.tensor(2.5), "empty": torch.zeros(0, 4)}
    save_file(tensors, OUT / "dtypes.safetensors", {"format": "pt", "note": "naïve \"quotes\""})
    expect("dtypes.safetensors", "safetensors", tensors, {"format": "pt", "note": "naïve \"quotes\""})


def sharded_folder():
    folder = OUT / "sharded"
    folder.mkdir(exist_ok=True)
    shards = [{"a.weight": torch.arange(4.0)}, {"b.weight": torch.arange(3.0).bfloat16(), "c": torch.ones(2, 2)}]
    weight_map = {}
    for i, shard in enumerate(shards):
        name = f"model-{i + 1:05d}-of-00002.safetensors"
        save_file(shard, folder / name)
        weight_map |= {key: name for key in shard}
    index = {"metadata": {"total_size": 38}, "weight_map": weight_map}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index, indent=2) + "\n")
    expect("sharded", "safetensors, 2 shards", shards[0] | shards[1])


def save(file, value, tensors, metadata=None, legacy=False):
    torch.save(value, OUT / file, _use_new_zipfile_serialization=not legacy)
    expect(file, "torch legacy" if legacy else "torch zip", tensors, metadata)


def views():
    base = torch.arange(12.0)
    return {
        "base": base,
        "tail": base[8:],
        "every_third": base[1::3],
        "transposed": base.view(3, 4).t(),
        "expanded": torch.tensor([7.0]).expand(2, 3),
        "empty": base[:0],
    }


def torch_files():
    state = module_state()
    save("state_dict.pt", state, state)
    save("state_dict_legacy.pt", state, state, legacy=True)
    nested = {"generator_ema": OrderedDict(w=torch.ones(2, 2), b=torch.arange(3.0).bfloat16()), "step": 3,
              "lr": 2e-6, "name": "run", "ema": None, "done": False, "betas": (0.0, 0.999)}
    tensors = {"generator_ema.w": nested["generator_ema"]["w"], "generator_ema.b": nested["generator_ema"]["b"]}
    settings = {"step": "3", "lr": "2e-06", "name": "run", "ema": "None", "done": "False", "betas.0": "0",
                "betas.1": "0.999"}
    save("nested.pt", nested, tensors, settings)
    save("nested_legacy.pt", nested, tensors, settings, legacy=True)
    save("views.pt", views(), views())
    save("views_legacy.pt", views(), views(), legacy=True)
    dtypes = every_dtype()
    save("dtypes.pt", dtypes, dtypes)
    tensor = torch.arange(4).reshape(2, 2)
    save("lone_tensor.pt", tensor, {"tensor": tensor})


def torch_oddities():
    weight = torch.nn.Parameter(torch.arange(4.0))
    weight.sharded = True  # a Python attribute: torch saves it by another function
    plain = torch.nn.Parameter(torch.arange(2.0))
    save("parameters.pt", {"weight": weight, "plain": plain}, {"weight": weight, "plain": plain})
    save("with_settings.pt",
         {"model": [plain], "loss": numpy.float64(0.5), "dtype": torch.bfloat16,
          "args": argparse.Namespace(lr=0.1, name="x")},
         {"model.0": plain},
         {"loss": "<numpy._core.multiarray.scalar>", "dtype": "torch.bfloat16", "args.lr": "0.1", "args.name": "x"})
    buffer = io.BytesIO()
    torch.save({"w": torch.arange(3.0), "n": 7}, buffer, pickle_protocol=5)
    (OUT / "protocol5.pt").write_bytes(buffer.getvalue())
    expect("protocol5.pt", "torch zip", {"w": torch.arange(3.0)}, {"n": "7"})


class Script(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(2, 1)

    def forward(self, x):
        return self.inner(x)


def torchscript_file():
    torch.manual_seed(1)
    model = Script()
    torch.jit.script(model).save(OUT / "torchscript.pt")
    expect("torchscript.pt", "torch zip", model.state_dict())


class ClipBlock(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.attn = torch.nn.MultiheadAttention(4, 1)
        self.ln_1 = torch.nn.LayerNorm(4)

    def forward(self, x: torch.Tensor):
        return x + self.attn(x, x, x, need_weights=False)[0]


class ClipVisual(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.input_resolution = 4
        self.conv1 = torch.nn.Conv2d(3, 4, 2, 2, bias=False)
        self.class_embedding = torch.nn.Parameter(torch.randn(4))
        self.resblocks = torch.nn.Sequential(ClipBlock(), ClipBlock())

    def forward(self, x: torch.Tensor):
        return self.resblocks(self.conv1(x).flatten(2).permute(2, 0, 1))


class ClipScript(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.visual = ClipVisual()
        self.logit_scale = torch.nn.Parameter(torch.ones([]))

    def forward(self, x: torch.Tensor):
        return self.visual(x)


def clip_script_file():
    """In the manner of CLIP's archives: nested modules, matrices in half precision, norms in single."""
    torch.manual_seed(2)
    model = ClipScript().half()
    for block in model.visual.resblocks:
        block.ln_1.float()
    torch.jit.script(model).save(OUT / "clip_script.pt")
    expect("clip_script.pt", "torch zip", model.state_dict())


class Stream(io.RawIOBase):
    """A file that cannot seek, so that zipfile puts sizes behind the data."""

    def __init__(self, path):
        self.file = open(path, "wb")

    def writable(self):
        return True

    def write(self, data):
        return self.file.write(data)

    def close(self):
        self.file.close()


def rezip(source, target, method=zipfile.ZIP_STORED, stream=False, zip64=False):
    out = Stream(OUT / target) if stream else open(OUT / target, "wb")
    with zipfile.ZipFile(OUT / source) as old, zipfile.ZipFile(out, "w", method) as new:
        for name in old.namelist():
            with new.open(zipfile.ZipInfo(name) if method == 0 else name, "w", force_zip64=zip64) as record:
                record.write(old.read(name))
    out.close()


def rezipped_files():
    rezip("nested.pt", "streamed_zip.pt", stream=True)
    rezip("nested.pt", "zip64.pt", zip64=True)
    rezip("nested.pt", "deflated.pt", method=zipfile.ZIP_DEFLATED)
    expected["streamed_zip.pt"] = expected["zip64.pt"] = expected["nested.pt"]


class Evil:
    def __reduce__(self):
        return os.system, ("touch /tmp/sgf_was_run",)


def refused_files():
    torch.save({"w": torch.ones(1), "x": Evil()}, OUT / "evil.pt")
    torch.save({"w": torch.ones(1), "x": Evil()}, OUT / "evil_legacy.pt", _use_new_zipfile_serialization=False)
    torch.save({"w": torch.ones(1), "x": fractions.Fraction(1, 2)}, OUT / "unknown_class.pt")
    torch.save({"w": torch.ones(1, dtype=torch.complex128)}, OUT / "complex128.pt")
    save_file({"w": torch.zeros(4, dtype=torch.uint8).view(torch.float4_e2m1fn_x2)}, OUT / "float4.safetensors")


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    safetensors_files()
    sharded_folder()
    torch_files()
    torch_oddities()
    torchscript_file()
    clip_script_file()
    rezipped_files()
    refused_files()
    (OUT / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")
    for file in OUT.rglob("*.safetensors"):
        file.chmod(0o644)  # safetensors writes for its owner alone


if __name__ == "__main__":
    main()
