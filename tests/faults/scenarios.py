"""The commands that check_faults.py interrupts: how each begins, how it is run again, and what it leaves."""

import fnmatch
import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

SMALL = """model.dim=24 model.ffn_dim=32 model.freq_dim=16 model.num_heads=2 model.num_layers=1 video.frames=6
run.threads=1""".split()
SETTINGS = [part for key in SMALL for part in ("--set", key)]
SILENT = ["--set", "output.sample_every=0", "--set", "output.report_every=0", "--set", "output.tensorboard=false"]
TEACHER = "teacher/checkpoints/step_00000001/generator.safetensors"
# They hold times or the machine's name, so no two runs have the same.
TIMED = ["*/facts.json", "*/report.html", "*/events/*", "*/.lock", "*.lock", "cache/*", "log*"]


class Scenario:
    """One command. `begin` makes the folder that it is started in, `run` and `again` are its words there."""

    name = ""
    run = []
    again = []
    timed = TIMED

    def __init__(self, program, data):
        self.program = program
        self.data = data

    def begin(self, folder):
        """What is there before the command starts, beside a file of somebody else's."""

    def replaced(self, name, now, reference):
        """Whether a file that was there before may be gone, because what stands in for it is whole."""
        return False

    def sgf(self, folder, *words, environment=None, expect=(0,)):
        done = subprocess.run([self.program, *words], cwd=folder, env=environment or clean_environment(folder),
                              capture_output=True, text=True, errors="replace", timeout=300)
        if done.returncode not in expect:
            raise RuntimeError(f"{self.name}: {' '.join(words)}: exit {done.returncode}: {done.stderr}")
        return done

    def files(self, folder):
        """Path to hash of all files that two runs must have alike."""
        found = {}
        for path in sorted(folder.rglob("*")):
            name = str(path.relative_to(folder))
            if path.is_file() and not any(fnmatch.fnmatch(name, pattern) for pattern in self.timed):
                found[name] = hashlib.sha256(self.content(name, path.read_bytes())).hexdigest()
        return found

    def content(self, name, data):
        """The bytes of a file without those that no two runs have alike."""
        return data


def clean_environment(folder):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("SGF_FAULT")}
    environment.update(OMP_NUM_THREADS="1", XDG_CACHE_HOME=str(folder / "cache"), HOME=str(folder))
    return environment


def train_words(*words):
    return ["train", "world-tiny", *SETTINGS, "--set", "train.stage=flow_matching", "--set", "train.steps=2", "--set",
            "output.keep_last=1", "--quiet", "--out", "run", *words]


class Train(Scenario):
    """A run from its beginning: metrics, samples, a checkpoint, events, report."""

    name = "train"
    run = train_words("--set", "output.sample_every=2")
    again = run + ["--resume"]


class Resume(Scenario):
    """The second half of a run: its earlier checkpoint goes only when the later one is whole."""

    name = "resume"
    run = train_words("--set", "output.sample_every=0", "--resume")
    again = run

    def begin(self, folder):
        self.sgf(folder, *self.run[:-1], "--stop-after", "1", expect=(3,))

    def replaced(self, name, now, reference):
        newer = {path for path in reference if path.startswith("run/checkpoints/step_00000002/")}
        return name.startswith("run/checkpoints/step_00000001/") and all(now.get(n) == reference[n] for n in newer)


def generate_words(*words):
    return ["generate", "--model", "world-small", "--quiet", "--threads", "1", "--seconds", "0.3", "--save-every", "1",
            *words]


class Mp4(Scenario):
    name = "generate-mp4"
    run = generate_words("--latents", "latents.safetensors", "--out", "video.mp4")
    again = run + ["--continue"]

    def begin(self, folder):
        (folder / "other.mp4").write_bytes(b"another video")


class Y4m(Mp4):
    name = "generate-y4m"
    run = generate_words("--out", "video.y4m")
    again = run + ["--continue"]


class Png(Mp4):
    name = "generate-png"
    run = generate_words("--out", "pictures/")
    again = run + ["--continue"]


class Many(Mp4):
    """Two prompts, a video each, and the manifest of both."""

    name = "generate-many"
    run = ["generate", "--model", "world-small", "--quiet", "--threads", "1", "--seconds", "0.1", "--prompts",
           "prompts.txt", "--out", "many"]
    again = run + ["--continue"]

    def begin(self, folder):
        (folder / "prompts.txt").write_text("a fast red disc and a slow green square on a grey field\n"
                                            "a slow blue square and a fast yellow disc on a grey field\n")


class Continue(Mp4):
    """The rest of a video that was stopped after its second state was saved."""

    name = "continue"
    run = Mp4.run + ["--continue"]
    again = run
    shim = None

    def begin(self, folder):
        super().begin(folder)
        environment = clean_environment(folder)
        environment.update(LD_PRELOAD=self.shim, SGF_FAULT_ROOT=str(folder), SGF_FAULT="rename 2 after")
        self.sgf(folder, *Mp4.run, environment=environment, expect=(-9,))

    def replaced(self, name, now, reference):
        """States give way to later ones, and go with the parts when the video is whole."""
        if name == "video.mp4.state":
            return name in now or now.get("video.mp4") == reference["video.mp4"]
        whole = reference["latents.safetensors"]
        return name == "latents.safetensors.part" and whole in (now.get(name), now.get("latents.safetensors"))


class Encode(Scenario):
    name = "encode"
    run = ["data", "encode", "videos", "--captions", "captions.csv", "--wan", "wan", "--out", "clips", "--frames", "5",
           "--stride", "8", "--height", "16", "--width", "16", "--text-len", "16", "--threads", "1", "--quiet"]
    again = run + ["--retry"]  # a video that could not be read was left out

    def begin(self, folder):
        make_wan(self.data, folder / "wan")
        self.sgf(folder, "world", "render", "--out", "rendered", "--clips", "2", "--frames", "16")
        (folder / "videos").mkdir()
        for clip, name in zip(sorted((folder / "rendered").glob("clip_*")), ("first.mp4", "second.mp4")):
            clip.rename(folder / "videos" / name)
        shutil.rmtree(folder / "rendered")
        (folder / "captions.csv").write_text('file,caption\nfirst.mp4,"A red panda."\nsecond.mp4,A blue square.\n')


class Pairs(Scenario):
    name = "pairs"
    run = ["pairs", "world-tiny", "--teacher", TEACHER, "--out", "pairs", "--count", "2", "--per-shard", "1", "--steps",
           "8", "--quiet", *SETTINGS, *SILENT, "--set", "train.stage=causal_ode"]
    again = run

    def begin(self, folder):
        make_teacher(self, folder)


class Study(Scenario):
    """The last arm of a study, trained and measured, and the report; the other arms are there already."""

    name = "study"
    run = ["study", "study.yaml", "--out", "study"]
    again = run
    timed = TIMED + ["*/study_seconds.json"]

    def content(self, name, data):
        if name.endswith(".safetensors"):
            end = 8 + int.from_bytes(data[:8], "little")
            return SECONDS.sub(b"", data[8:end].rstrip()) + data[end:]
        return SECONDS.sub(b"", data) if name.startswith("study/") else data

    def begin(self, folder):
        make_teacher(self, folder)
        small = ", ".join([*SMALL, "output.sample_every=0", "output.report_every=0", "output.tensorboard=false",
                           "dmd.generator_every=1", "dmd.critic_only_steps=0"])
        (folder / "study.yaml").write_text(STUDY.replace("SMALL", small))
        self.sgf(folder, *self.run, "--arms", "chunkwise-truth", "chunkwise-initial", "chunkwise-teacher",
                 "chunkwise-sf-1")


# Of an arm, in its files and in the report's table, whole seconds that differ on a busy machine; and hashes of what holds
# them: of its weights, and of their header.
SECONDS = re.compile(rb'\\*"seconds\\*": ?[0-9.e+-]+|"weights": ?\{[^}]*\}|"sgf.header_hash": ?"[0-9a-f]*"'
                     rb'|(?<=\| cpu \|)[^\n]*|(?<=<td>cpu</td>)[^\n]*')
STUDY = """name: toy
chunkwise:
  config: world-tiny
  set: [SMALL]
  student: teacher
  teacher: teacher
  steps: 1
  seeds: 1
evaluation:
  prompts: 1
  selection_prompts: 1
  batch: 1
  window_frames: 4
  segments: [1]
  horizons: [1]
  teacher_steps: 1
  recovery_rollouts: 1
  probe_updates: 1
  strip_prompts: 1
analysis: {resamples: 100}
"""


def make_teacher(scenario, folder):
    scenario.sgf(folder, "train", "world-tiny", *SETTINGS, *SILENT, "--set", "train.stage=flow_matching", "--set",
                 "train.steps=1", "--quiet", "--out", "teacher")


def make_wan(data, folder):
    """A Wan folder as its users have it, of small files."""
    (folder / "google/umt5-xxl").mkdir(parents=True)
    for name in ("config.json", "diffusion_pytorch_model.safetensors", "Wan2.1_VAE.pth"):
        shutil.copy(data / "wan" / name, folder)
    shutil.copy(data / "text/tiny_umt5.pth", folder / "models_t5_umt5-xxl-enc-bf16.pth")
    shutil.copy(data / "text/tiny_unigram.model", folder / "google/umt5-xxl/spiece.model")


SCENARIOS = [Train, Resume, Mp4, Y4m, Png, Many, Continue, Encode, Pairs, Study]
