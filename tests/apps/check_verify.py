"""`sgf verify` as its users meet it: exit codes, and the lines a program reads. Needs nothing but Python.

usage: check_verify.py SGF DATA, where DATA is tests/data
"""

import json
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

KEYS = {"file", "kind", "dtype", "device", "tensors", "ok"}
TENSOR_KEYS = {"name", "max_abs", "rel_l2"}
GRADIENT = "grad.blocks.0.self_attn.k.weight"
failures = []


def expect(holds, what):
    if not holds:
        failures.append(what)
        print(f"FAIL: sgf verify: {what}")


def read_recording(path):
    """Header and data of a safetensors file."""
    raw = path.read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    return json.loads(raw[8 : 8 + length]), bytearray(raw[8 + length :])


def write_recording(path, header, data):
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + bytes(data))


def expected_names(path):
    header, _ = read_recording(path)
    return {n for n in header if n.split(".")[0] == "out" or (n.startswith("grad") and "." in n)}


def altered(path, tensor, by):
    """A copy in which one number of a float64 tensor is another."""
    header, data = read_recording(path)
    begin = header[tensor]["data_offsets"][0] + 8
    (value,) = struct.unpack_from("<d", data, begin)
    struct.pack_into("<d", data, begin, value + by)
    copy = path.with_name("altered.safetensors")
    write_recording(copy, header, data)
    return copy


def of_another_kind(path):
    header, data = read_recording(path)
    header["__metadata__"]["kind"] = json.dumps("dit_sideways")
    copy = path.with_name("sideways.safetensors")
    write_recording(copy, header, data)
    return copy


def without_outputs(path):
    """A copy whose expected tensors are inputs now: the bytes stay where they were."""
    header, data = read_recording(path)
    gone = expected_names(path)
    copy = path.with_name("no_outputs.safetensors")
    write_recording(copy, {("in.was." + n if n in gone else n): v for n, v in header.items()}, data)
    return copy


class Verify:
    def __init__(self, program):
        self.program = program

    def run(self, *arguments):
        words = [self.program, "verify", "--device", "cpu", *map(str, arguments)]
        return subprocess.run(words, capture_output=True, text=True, check=False)

    def lines(self, *arguments):
        """Exit code and one object a line."""
        done = self.run("--json", *arguments)
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def check_shape(verify, recordings):
    code, lines = verify.lines(*recordings)
    expect(code == 0, f"the bundled recordings hold, got exit {code}")
    expect([line["file"] for line in lines] == [str(r) for r in recordings], "one line a file, in their order")
    for path, line in zip(recordings, lines):
        header, _ = read_recording(path)
        expect(set(line) == KEYS, f"{path.name}: keys {sorted(line)}")
        expect(line["kind"] == json.loads(header["__metadata__"]["kind"]), f"{path.name}: kind {line['kind']}")
        expect((line["dtype"], line["device"], line["ok"]) == ("float64", "cpu", True), f"{path.name}: {line}")
        expect(all(set(t) == TENSOR_KEYS for t in line["tensors"]), f"{path.name}: keys of its tensors")
        expect(all(isinstance(t[k], float) for t in line["tensors"] for k in ("max_abs", "rel_l2")),
               f"{path.name}: errors are numbers")
        names = [t["name"] for t in line["tensors"]]
        expect(len(names) == len(set(names)), f"{path.name}: a tensor comes twice")
        expect(set(names) >= expected_names(path), f"{path.name}: lacks {expected_names(path) - set(names)}")


def check_altered_gradient(verify, good, other):
    bad = altered(good, GRADIENT, 1e-3)
    code, lines = verify.lines(good, bad, other)
    expect(code == 1, f"one altered gradient number must fail, got exit {code}")
    expect([line["ok"] for line in lines] == [True, False, True], f"only the altered one fails: {lines}")
    off = [t["name"] for t in lines[1]["tensors"] if t["rel_l2"] > 1e-10]
    expect(off == [GRADIENT], f"the altered tensor alone is off, got {off}")
    table = verify.run(good, bad, other)
    expect(table.returncode == 1 and "2 of 3 recordings match" in table.stdout, f"the table counts: {table.stdout[-90:]}")
    expect(f"{other.stem} " in table.stdout and table.stdout.count("FAIL") == 1, "the table shows the others, too")


def check_what_cannot_be_replayed(verify, good, other):
    for bad, reason in [(of_another_kind(good), "dit_sideways"), (without_outputs(good), "no_outputs.safetensors"),
                        (good.with_name("absent.safetensors"), "absent.safetensors")]:
        code, lines = verify.lines(good, bad, other)
        expect(code == 1, f"{bad.name} is no pass, got exit {code}")
        expect([line["ok"] for line in lines] == [True, False, True], f"the others of {bad.name} are replayed")
        expect(all(set(line) == KEYS for line in lines) and lines[1]["tensors"] == [], f"{bad.name}: {lines[1]}")
        stated = {"dit_sideways": "dit_sideways", "absent.safetensors": None}.get(reason, lines[0]["kind"])
        expect(lines[1]["kind"] == stated, f"{bad.name}: states kind {lines[1]['kind']}")
        alone = verify.run(bad)
        expect(alone.returncode == 1 and reason in alone.stderr, f"{bad.name}: stderr says {alone.stderr!r}")


def check_options(verify, good):
    bad = altered(good, GRADIENT, 1e-3)
    expect(verify.run("--tolerance", "1", bad).returncode == 0, "--tolerance 1 lets the altered number pass")
    expect(verify.run("--tolerance", "1e-30", good).returncode == 1, "--tolerance 1e-30 lets nothing pass")
    expect(verify.run("--tolerance", "-1", good).returncode == 2, "a negative tolerance is refused")
    expect(verify.run("--tolerance", "little", good).returncode == 2, "a tolerance is a number")
    for dtype, low, high in [("float32", 1e-9, 1e-5), ("bfloat16", 1e-4, 3e-2)]:
        code, lines = verify.lines("--dtype", dtype, good)
        worst = max(t["rel_l2"] for t in lines[0]["tensors"])
        expect(code == 0 and lines[0]["dtype"] == dtype, f"--dtype {dtype} holds and is named")
        expect(low < worst < high, f"--dtype {dtype} computes in it, largest error {worst}")
    expect(verify.run("--dtype", "float32", "--tolerance", "1e-10", good).returncode == 1,
           "float32 does not hold to 1e-10")
    expect(verify.run("--dtype", "float16", good).returncode == 2, "--dtype float16 is refused")
    expect(verify.run().returncode == 2, "no file is no pass")


def main():
    program, data = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted((data / "reference").glob("*.safetensors")):
            shutil.copyfile(path, pathlib.Path(folder) / path.name)
        recordings = sorted(pathlib.Path(folder).glob("*.safetensors"))
        good = pathlib.Path(folder) / "dit_pass2_framewise_open_a.safetensors"
        other = pathlib.Path(folder) / "schedule_a.safetensors"
        verify = Verify(program)
        check_shape(verify, recordings)
        check_altered_gradient(verify, good, other)
        check_what_cannot_be_replayed(verify, good, other)
        check_options(verify, good)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
