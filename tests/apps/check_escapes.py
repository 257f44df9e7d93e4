"""What comes from outside (names and contents of files, options) is printed escaped by every command: no byte of it
reaches the terminal as a control. Needs nothing but Python.

usage: check_escapes.py SGF DATA, where DATA is tests/data
"""

import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unicodedata

SGF, DATA = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
# A window title, a colour, a line of our own, an 8-bit and a UTF-8 CSI, a change of direction, a tab and a delete.
MARKS = "\x1b]0;owned\x07 \x1b[31m \nsgf: faked\r \u009b1m \u202e \u2066 \t\x7f"
NASTY = os.fsencode("a" + MARKS) + b"\x9b"
PLAIN = "grüße-日本"
JOINERS = "\u200c\u200d"
failures = []
ran = set()  # "eval", "eval table"


def complain(what):
    failures.append(what)
    print(f"FAIL: {what!a}")


def is_shown(character):
    return unicodedata.category(character) not in ("Cc", "Cf", "Zl", "Zp", "Cs") or character in JOINERS


def said(*words):
    """Both streams of a command, which must be UTF-8 that a terminal only shows."""
    ran.update((words[0], f"{words[0]} {words[1]}") if len(words) > 1 else words)
    done = subprocess.run([SGF, *words], capture_output=True, stdin=subprocess.DEVNULL, timeout=600)
    for stream in (done.stdout, done.stderr):
        lines = stream.split(b"\n")
        try:
            bad = [line for line in lines if not all(map(is_shown, line.decode()))]
        except UnicodeDecodeError:
            bad = lines
        if bad:
            complain(f"{words} printed {bad[0]!a}")
        if any(line.startswith(b"sgf: faked") for line in lines):
            complain(f"{words} let a file fake a line")
    if done.returncode < 0 or not (done.stdout or done.stderr):
        complain(f"{words} ended with {done.returncode} and said nothing")
    return (done.stdout + done.stderr).decode(errors="replace")


def escaped(*words):
    """As said, and the escape can be read: it was shown, not dropped."""
    text = said(*words)
    if "\\x1b" not in text and "\\u001b" not in text and "\\x1B" not in text:
        complain(f"{words} does not show the escape: {text!a}")
    return text


def write_safetensors(path, names, metadata):
    header = {name: {"dtype": "F32", "shape": [1], "data_offsets": [4 * i, 4 * i + 4]} for i, name in enumerate(names)}
    text = json.dumps({"__metadata__": metadata, **header}).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + bytes(4 * len(names)))


def check_file_names():
    weights = DATA / "weights/dtypes.safetensors"
    for name, shows in ((NASTY, escaped), (os.fsencode(PLAIN), said)):
        file = name + b".safetensors"
        shutil.copy(weights, file)
        for words in (["inspect"], ["inspect", "--json"], ["verify"], ["verify", "--json"]):
            text = shows(*words, file)
            if shows is said and PLAIN not in text:
                complain(f"{words} does not show {PLAIN} as it is: {text!a}")
        shows("convert", file, name + b".pt")
        shows("convert", file, name + b".pt")  # is there already
        shows("convert", "--json", "--force", file, name + b".pt")
        shows("inspect", name + b"-missing")
        os.mkdir(name)
        shows("inspect", name)  # nothing in it
        with open(name + b".pt", "wb") as broken:
            broken.write(b"no weights")
        shows("inspect", name + b".pt")
        shows("verify", name + b".pt")
        shows("strips", name + b"-missing", "--out", "strip.png")
        shows("vae", "encode", name, "--out", name + b".latents", "--wan", name)
        shows("plan", name + b".yaml")
        shows("redo", name + b"-missing.mp4")


def check_contents():
    write_safetensors("names.safetensors", ["t" + MARKS, "model.t" + MARKS], {"format" + MARKS: MARKS})
    escaped("inspect", "--keys", "names.safetensors")
    escaped("inspect", "--keys", "--json", "names.safetensors")
    said("convert", "--names", "keep", "names.safetensors", "kept.pt")
    write_safetensors("kind.safetensors", ["out.x"], {"kind": json.dumps("k" + MARKS), "config": "{}"})
    escaped("verify", "kind.safetensors")
    escaped("verify", "--json", "kind.safetensors")
    write_safetensors("raw.safetensors", ["out.x"], {"kind": MARKS})
    said("verify", "raw.safetensors")
    os.mkdir("sharded")
    for shard in ("s" + MARKS, "s/" + MARKS):
        with open("sharded/model.safetensors.index.json", "w", encoding="utf-8") as index:
            json.dump({"weight_map": {"a" + MARKS: shard}}, index)
        escaped("inspect", "sharded")
    with open("sharded/model.safetensors.index.json", "w", encoding="utf-8") as index:
        index.write('{"weight_map": {"a\x1b[31m": ')  # the parser's own words repeat what it read
    said("inspect", "sharded")


def yaml_text(text):
    return json.dumps(text)  # JSON's strings are YAML's


def check_configs():
    key, value = yaml_text("k" + MARKS), yaml_text("v" + MARKS)
    bad = {
        "key": f"{key}: 1\n",
        "twice": f"{key}: 1\n{key}: 2\n",
        "nested": f"model: {{{key}: 1}}\n",
        "base": f"base: {value}\n",
        "value": f"base: tiny\nmodel: {{dim: {value}}}\n",
        "choice": f"base: tiny\ntrain: {{stage: {value}}}\n",
        "name": f"base: tiny\nname: {value}\n",
        "tag": 'name: !<a%1b[31m> "b"\n',
        "flat": f"trainer: score_distillation\n{key}: 1\n",
    }
    for name, text in bad.items():
        pathlib.Path(name + ".yaml").write_text(text, encoding="utf-8")
        said("config", name + ".yaml")
    for name in ("key", "twice", "nested", "base", "value"):
        escaped("config", name + ".yaml")
    escaped("config", "tiny", "--set", "model\x1b[31m.dim=1")
    escaped("config", "tiny", "--set", "model.dim=\x1b[31m")
    escaped("config", NASTY)
    pathlib.Path("prompt.yaml").write_text(f"base: tiny\nnegative_prompt: {value}\ndescription: {value}\n", encoding="utf-8")
    escaped("config", "prompt.yaml")
    resolved = escaped("config", "prompt.yaml", "--resolved")
    pathlib.Path("again.yaml").write_text(resolved, encoding="utf-8")
    if said("config", "again.yaml", "--resolved") != resolved:
        complain("a config with controls in a text does not read back from what was printed")
    as_json = escaped("config", "prompt.yaml", "--resolved", "--json")
    if json.loads(as_json)["negative_prompt"] != "v" + MARKS:
        complain("a config as JSON holds another text")
    os.mkdir(b"recipe" + NASTY)
    with open(b"recipe" + NASTY + b"/" + NASTY + b".yaml", "w", encoding="utf-8") as file:
        file.write("base: tiny\n")
    escaped("recipe", "run", b"recipe" + NASTY, "--dry-run")


def check_options():
    escaped("inspct\x1b[31m")
    escaped("inspect", "--js\x1b[31mn", "x")
    escaped("bench", "\x1b[31m")
    escaped("verify", "--device", "\x1b[31m", "x")
    escaped("eval", "x", "--metrics", "\x1b[31m")
    escaped("text", "a" + MARKS.replace("\x1b]0;owned\x07", "") + "b", "--json")
    said("text", "a" + MARKS + "b")
    tiny = ("--tokenizer", DATA / "text/tiny_unigram.model")
    said("text", "a" + MARKS + "b", *tiny)
    escaped("wan", "make", b"wan" + NASTY, "--size", "tiny")
    escaped("doctor", b"wan" + NASTY)
    if PLAIN not in said("text", PLAIN):
        complain(f"sgf text does not show {PLAIN} as it is")
    world = ("generate", "--model", "world-small", "--dry-run", "--seconds", "0.3")
    escaped(*world, "--prompt", "a" + MARKS, "--out", NASTY + b".mp4")
    escaped(*world, "--prompt", "a" + MARKS, "--out", NASTY + b".mp4", "--json")
    if PLAIN not in said(*world, "--prompt", PLAIN, "--out", PLAIN + ".mp4"):
        complain(f"generate does not show {PLAIN} as it is")
    escaped("generate", "--model", "world-small", "--quiet", "--prompt", "a" + MARKS, "--out", "x.mp4")


def check_videos():
    """Folders and results of other names, and what an mp4 says of itself."""
    escaped("world", "render", "--clips", "2", "--frames", "12", "--format", "png", "--out", b"w" + NASTY)
    escaped("world", "measure", "--manifest", b"w" + NASTY + b"/manifest.json")
    escaped("eval", b"w" + NASTY, "--protocol", "world", "--no-cache", "--method", "m" + MARKS, "--init", "i" + MARKS,
            "--horizon", MARKS, "--scores", b"r" + NASTY)
    said("eval", b"w" + NASTY, "--protocol", "world", "--prompts", b"w" + NASTY + b"/manifest.json", "--no-cache",
         "--method", "m" + MARKS, "--init", "i" + MARKS, "--horizon", MARKS, "--scores", "r.json")
    for form in ("text", "markdown"):
        escaped("eval", "table", "r.json", "--format", form)
    said("eval", "table", "r.json", "--format", "latex")
    said("compare", b"w" + NASTY, b"w" + NASTY, "--out", b"page" + NASTY)
    if "\nno FFmpeg" in said("--version"):
        return
    # The note of a video, changed in place: the folder of its weights becomes \\u001b and \\u009b.
    folder = "P" * 12
    shutil.copytree(DATA.parent.parent / "models/world-small/sgf", folder)
    said("generate", "--model", folder, "--quiet", "--threads", "1", "--seconds", "0.3", "--out", "note.mp4")
    video = pathlib.Path("note.mp4").read_bytes()
    if folder.encode() not in video:
        complain("the video does not name its weights")
    pathlib.Path("model.mp4").write_bytes(video.replace(folder.encode(), b"\\u001b\\u009b"))
    escaped("redo", "model.mp4")
    if json.loads(escaped("redo", "model.mp4", "--show", "--json"))["model"].count("\x1b\u009b") != 1:
        complain("redo --show prints another order than the video holds")
    pathlib.Path("key.mp4").write_bytes(video.replace(b'"enlarge"', b'"\\u001b["'))
    said("redo", "key.mp4", "--show")
    pathlib.Path("raw.mp4").write_bytes(video.replace(folder.encode(), b"\x1b[31m\xc2\x9b1m\x1b\x1b\n"))
    said("redo", "raw.mp4", "--show")


def make_wan(folder):
    """A Wan folder of small files."""
    os.makedirs(folder + "/google/umt5-xxl")
    for name in ("config.json", "diffusion_pytorch_model.safetensors", "Wan2.1_VAE.pth"):
        shutil.copy(DATA / "wan" / name, folder)
    shutil.copy(DATA / "text/tiny_umt5.pth", folder + "/models_t5_umt5-xxl-enc-bf16.pth")
    shutil.copy(DATA / "text/tiny_unigram.model", folder + "/google/umt5-xxl/spiece.model")


TRAIN = ("--quiet", "--set", "train.steps=1", "--set", "run.device=cpu", "--set", "run.threads=1",
         "--set", "output.sample_every=0", "--set", "train.stage=flow_matching")


def check_training():
    """Configs, weights, run folders and manifests of other names and contents."""
    value = yaml_text("v" + MARKS)
    missing = NASTY + b"-missing.yaml"
    for words in (["train"], ["study"], ["diagnose", "recovery"], ["diagnose", "feasibility"], ["diagnose", "sink"]):
        escaped(*words, missing)
    escaped("pairs", missing, "--teacher", NASTY, "--count", "1")
    escaped("pairs", "world-tiny", "--set", "train.stage=causal_ode", "--teacher", NASTY, "--count", "1", "--out", "p")
    escaped("train", "world-tiny", *TRAIN, "--out", b"run" + NASTY)
    escaped("train", "world-tiny", *TRAIN, "--out", b"run" + NASTY)  # holds a run already
    said("train", "world-tiny", *TRAIN, "--out", "run")
    with open(b"run" + NASTY + b"/metrics.jsonl", "ab") as metrics:
        metrics.write(b'{"step":"\\u001b[31m' + b"\x1b[31m\n")
    escaped("train", "world-tiny", *TRAIN, "--resume", "--out", b"run" + NASTY)
    text = "base: world-tiny\ntrain: {{start_from: {}}}\ndmd: {{teacher: {}}}\ndata: {{prompts: {}}}\n"
    run = json.dumps(os.path.realpath("run"))
    for stage, where in (("teacher_forcing", (value, "''", "''")), ("dmd", (run, value, "''")),
                         ("dmd", (run, run, value))):
        pathlib.Path("start.yaml").write_text(text.format(*where), encoding="utf-8")
        escaped("train", "start.yaml", *TRAIN, "--set", "train.stage=" + stage, "--out", "start")
    make_wan("wan")
    order = {"format": "f" + MARKS}
    wan = ("--set", 'data.world=""', "--set", "data.wan=wan")
    for kind, stage, source in (("clips", "teacher_forcing", wan), ("pairs", "bidirectional_ode", ())):
        os.mkdir(kind)
        for name in ("order.json", "manifest.json"):
            pathlib.Path(kind, name).write_text(json.dumps(order), encoding="utf-8")
        where = ("--set", "train.start_from=run", "--set", f"data.{kind}={kind}", *source)
        escaped("train", "world-tiny", *TRAIN, "--set", "train.stage=" + stage, *where, "--out", "start")
    pathlib.Path("study.yaml").write_text(f"{yaml_text('k' + MARKS)}: 1\n", encoding="utf-8")
    escaped("study", "study.yaml", "--out", b"study" + NASTY)
    escaped("demo", "--models", NASTY, "--out", b"demo" + NASTY)
    escaped("serve", "--model", NASTY)
    escaped("serve", "--host", MARKS, "--port", "0", "--folder", b"sessions" + NASTY)
    escaped("demo", "--set", "model\x1b[31m.dim=1", "--out", "demo")


def check_data():
    escaped("sample", "--model", NASTY, "--out", "s")
    escaped("sample", "--model", "wan", "--mode", "at-once", "--wan", NASTY, "--prompt", "a" + MARKS, "--out", "s")
    os.makedirs(b"videos/" + NASTY)
    encode = ("--wan", "wan", "--frames", "5", "--height", "64", "--width", "64", "--text-len", "16", "--threads", "1")
    escaped("data", "encode", NASTY + b"-missing", *encode, "--out", b"clips" + NASTY)
    with open(b"videos/" + NASTY + b".mp4", "wb") as broken:
        broken.write(b"no video")
    with open("captions.json", "w", encoding="utf-8") as file:
        json.dump({"other" + MARKS: "c" + MARKS}, file)
    escaped("data", "encode", "videos", "--captions", "captions.json", *encode, "--out", "clips")
    for text in ({"a" + MARKS: 3}, [{"file": "a" + MARKS, "caption": "b"}, {"file": "a" + MARKS, "caption": MARKS}]):
        with open("captions.json", "w", encoding="utf-8") as file:
            json.dump(text, file)
        escaped("data", "encode", "videos", "--captions", "captions.json", *encode, "--out", "clips")
    pathlib.Path("captions.csv").write_text("a" + MARKS + ",b\n", encoding="utf-8")
    escaped("data", "encode", "videos", "--captions", "captions.csv", *encode, "--out", "clips")
    write_safetensors(b"l" + NASTY + b".safetensors", ["t" + MARKS], {"fps": MARKS, "note": MARKS})
    escaped("vae", "decode", b"l" + NASTY + b".safetensors", "--wan", "wan", "--out", "frames")
    escaped("diagnose", "vae-boundary", NASTY, "--wan", "wan")


def check_answers():
    """Answers of raters and results of other programs."""
    escaped("compare", "score", NASTY + b"-missing.json")
    seeds = DATA.parent / "fuzz/seeds"
    answers = json.loads((seeds / "rater_answers/one.json").read_text())
    key = json.loads((seeds / "study_key/one.json").read_text())
    for more_answers, more_key, shows in (({"rater": MARKS}, {"names": ["A" + MARKS, "B" + MARKS]}, escaped),
                                          ({"study": MARKS}, {}, said), ({MARKS: 1}, {MARKS: 1}, said),
                                          ({}, {"pairs": MARKS}, said), ({"pairs": [{"left": MARKS}]}, {}, said)):
        pathlib.Path("answers.json").write_text(json.dumps({**answers, **more_answers}), encoding="utf-8")
        pathlib.Path("key.json").write_text(json.dumps({**key, **more_key}), encoding="utf-8")
        shows("compare", "score", "answers.json", "--key", "key.json")
    for content in ({"totals": {MARKS: {"value": 0.5}}, "labels": {"method": MARKS}}, {MARKS: [MARKS]}, [MARKS]):
        pathlib.Path("eval_results.json").write_text(json.dumps(content), encoding="utf-8")
        said("eval", "import", "eval_results.json")
        said("eval", "table", "eval_results.json")
    scores = {"scene": [0.5, [{"video_path": "v" + MARKS, "video_results": MARKS}]]}
    pathlib.Path("eval_results.json").write_text(json.dumps(scores), encoding="utf-8")
    said("eval", "import", "eval_results.json", "--method", MARKS, "--json", b"imported" + NASTY)
    escaped("eval", "export", NASTY + b"-missing", "--out", b"out" + NASTY)
    escaped("eval", "export", b"w" + NASTY, "--prompts", b"w" + NASTY + b"/manifest.json", "--out", b"out" + NASTY)
    escaped("completion", MARKS)
    said("completion", "bash")
    escaped("bench", "attention", "--compare", NASTY)


def check_all_were_run():
    """Every command that the completion script knows was among them."""
    script = said("completion", "bash")
    name = r"[a-z][a-z-]*"
    known = set(re.findall(rf"^ +'({name}(?: {name})?)(?: --{name})?'\) (?:choices|command)=", script, re.MULTILINE))
    if len(known) < 25:
        complain(f"the completion script names only {sorted(known)}")
    if known - ran:
        complain(f"not run: {sorted(known - ran)}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["XDG_CACHE_HOME"] = folder + "/cache"
        for check in (check_file_names, check_contents, check_configs, check_options, check_training, check_videos,
                      check_data, check_answers, check_all_were_run):
            check()
        os.chdir("/")
    sys.exit(1 if failures else 0)


main()
