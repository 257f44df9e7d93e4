"""One command under test: its beginning, its undisturbed result, and what counts as wrong after a fault."""

import collections
import json
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

from scenarios import clean_environment

TEMPORARY = re.compile(r"^\.(.+?)(\.\d+-\d+)?\.tmp$")

Call = collections.namedtuple("Call", "kind intent path")


class Bench:
    """One scenario with its beginning, its undisturbed result and the calls that lead there."""

    def __init__(self, scenario, shim, place):
        self.scenario = scenario
        self.shim = shim
        self.place = place
        self.template = place / f"{scenario.name}-begin"
        self.template.mkdir()
        (self.template / "thesis.tex").write_text("of somebody else")
        scenario.begin(self.template)
        self.before = scenario.files(self.template)
        self.reference, self.calls = self.undisturbed("a")
        other, _ = self.undisturbed("b")
        if other != self.reference:
            raise RuntimeError(f"{scenario.name}: two undisturbed runs differ: {differences(self.reference, other)}")

    def fresh(self, name):
        folder = self.place / f"{self.scenario.name}-{name}".replace(" ", "-")
        shutil.copytree(self.template, folder)
        return folder

    def undisturbed(self, name):
        folder = self.fresh(f"whole-{name}")
        began = time.monotonic()
        done, log, _ = self.start(folder, self.scenario.run, {})
        self.seconds = time.monotonic() - began
        if done != 0:
            raise RuntimeError(f"{self.scenario.name}: the undisturbed run ends with {done}")
        result = self.scenario.files(folder)
        self.whole = folder
        return result, [Call(*line.split(" ", 2)) for line in log]

    def start(self, folder, words, fault):
        """Exit code, the shim's log and stderr of one start in this folder."""
        log = folder.parent / f"{folder.name}.log"
        environment = clean_environment(folder)
        environment.update(LD_PRELOAD=str(self.shim), SGF_FAULT_ROOT=str(folder), SGF_FAULT_LOG=str(log), **fault)
        try:
            done = subprocess.run([self.scenario.program, *words], cwd=folder, env=environment, capture_output=True,
                                  text=True, errors="replace", timeout=300)
            code, said = done.returncode, done.stderr
        except subprocess.TimeoutExpired:
            code, said = -signal.SIGALRM, "no end after 300 s"
        lines = log.read_text(errors="replace").splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return code, lines, said


def differences(expected, found):
    names = sorted(name for name in set(expected) | set(found) if expected.get(name) != found.get(name))
    how = lambda name: "missing" if name not in found else "new" if name not in expected else "other bytes"
    return ", ".join(f"{name} ({how(name)})" for name in names[:6])


def shown_path(path):
    """The path that a user knows a file by: a temporary one is written for another."""
    temporary = TEMPORARY.match(Path(path).name)
    return str(Path(path).with_name(temporary.group(1))) if temporary else path


def shown_name(path):
    return Path(shown_path(path)).name


def names_the_file(said, faults):
    """Or, where a folder is concerned, one that lies in it."""
    inside = [entry.name for path in map(Path, faults) if path.is_dir() for entry in path.iterdir()]
    return any(shown_name(path) in said for path in [*faults, *inside])


def is_kept(bench, folder, name, now):
    """Whether a file of the beginning is still there: as it was, in its final form, or on the way to it."""
    path, before, final = folder / name, bench.template / name, bench.whole / name
    if now.get(name) in (bench.before[name], bench.reference.get(name, "")):
        return True
    if bench.scenario.replaced(name, now, bench.reference):
        return True
    if name not in now:
        return False
    found = path.read_bytes()
    is_cut = final.exists() and len(found) > 0 and final.read_bytes().startswith(found)
    return found.startswith(before.read_bytes()) or is_cut


def facts_are_kept(bench, folder):
    """Lists of starts only grow."""
    for before in bench.template.rglob("facts.json"):
        now = folder / before.relative_to(bench.template)
        starts = json.loads(before.read_text())
        if not now.exists() or json.loads(now.read_text())[:len(starts)] != starts:
            return False
    return True


def leftovers(folder):
    return [str(path.relative_to(folder)) for path in folder.rglob("*") if TEMPORARY.match(path.name)]


def judge_fault(bench, folder, code, faults, said):
    """What is wrong after the disturbed start, in words."""
    wrong = []
    if code < 0 or code >= 128:
        wrong.append(f"ended by signal {-code if code < 0 else code - 128}")
    paths = [path for _, path in faults]
    if code > 0 and not names_the_file(said, paths):
        wrong.append(f"the error does not name {' or '.join(sorted(set(map(shown_name, paths))))}")
    if code > 0 and len(said.strip().splitlines()) == 0:
        wrong.append("no error was printed")
    if "terminate called" in said:
        wrong.append("an exception was not caught")
    if code == 0 and bench.scenario.files(folder) != bench.reference:
        wrong.append(f"exit 0 with another result: {differences(bench.reference, bench.scenario.files(folder))}")
    if code > 0 and leftovers(folder) and not any(kind == "unlink" for kind, _ in faults):
        wrong.append(f"left behind with the error: {', '.join(leftovers(folder))}")
    return wrong


def judge_rest(bench, folder):
    """What is wrong with what was there before."""
    now = bench.scenario.files(folder)
    lost = [name for name in bench.before if not is_kept(bench, folder, name, now)]
    wrong = [f"lost: {', '.join(lost)}"] if lost else []
    return wrong if facts_are_kept(bench, folder) else wrong + ["lost: earlier starts in facts.json"]


def judge_again(bench, folder):
    """What is wrong after a second start without the fault."""
    code, _, said = bench.start(folder, bench.scenario.again, {})
    if code != 0:
        return [f"the second start ends with {code}: {said.strip()}"]
    wrong = []
    found = bench.scenario.files(folder)
    if found != bench.reference:
        wrong.append(f"the second start has another result: {differences(bench.reference, found)}")
    left = leftovers(folder)
    return wrong + [f"left behind: {', '.join(left)}"] if left else wrong
