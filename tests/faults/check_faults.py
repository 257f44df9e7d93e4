#!/usr/bin/env python3
"""Commands of sgf whose file calls fail, come up short, or are their last: each must end with an error that names the
file or go on to the same result; what was there before stays; a second start, without the fault, gives the result of an
undisturbed run and leaves no temporary file.

  check_faults.py --program SGF --shim SHIM --data tests/data --sample SEED   some cases of every kind, for each test run
  check_faults.py … --all [--scenario NAME]                                   every call with every fault
  check_faults.py … --kills 200                                               so many kills, over all scenarios
  check_faults.py … --only 'SCENARIO KIND N ACTION'                           one case; its folder is kept
"""

import argparse
import collections
import concurrent.futures
import json
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from scenarios import SCENARIOS, Continue, clean_environment

FULL, BROKEN = "28+", "5"  # ENOSPC from then on, EIO once
KILLS = ("kill", "torn", "after")
TEMPORARY = re.compile(r"^\.(.+?)(\.\d+-\d+)?\.tmp$")

Case = collections.namedtuple("Case", "scenario kind number action")
Call = collections.namedtuple("Call", "kind intent path")


def spell(case):
    return f"{case.scenario} {case.kind} {case.number} {case.action}"


def actions_of(call):
    """What can go wrong with it: a disk that is full concerns only what changes it."""
    actions = [BROKEN] if call.intent == "read" else [FULL, BROKEN]
    return actions + ["short"] if call.kind in ("write", "pwrite") else actions


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
        done, log, _ = self.start(folder, self.scenario.run, {})
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


def shown_name(path):
    """The name that a user knows a file by: a temporary one is written for another."""
    name = Path(path).name
    temporary = TEMPORARY.match(name)
    return temporary.group(1) if temporary else name


def names_the_file(said, faults):
    return any(shown_name(path) in said for path in faults)


def is_kept(bench, folder, name):
    """Whether a file of the beginning is still there: as it was, in its final form, or on the way to it."""
    path, before, final = folder / name, bench.template / name, bench.whole / name
    if bench.scenario.replaced(folder, name, bench.reference):
        return True
    if not path.exists():
        return False
    now = path.read_bytes()
    if now == before.read_bytes() or bench.scenario.files(folder).get(name) == bench.reference.get(name):
        return True
    return now.startswith(before.read_bytes()) or (final.exists() and len(now) > 0 and final.read_bytes().startswith(now))


def facts_are_kept(bench, folder):
    """Lists of starts only grow."""
    for before in bench.template.rglob("facts.json"):
        now = folder / before.relative_to(bench.template)
        starts = json.loads(before.read_text())
        if not now.exists() or json.loads(now.read_text())[:len(starts)] != starts:
            return False
    return True


def judge_fault(bench, folder, code, faults, said):
    """What is wrong after the disturbed start, in words."""
    wrong = []
    if code < 0 or code >= 128:
        wrong.append(f"ended by signal {-code if code < 0 else code - 128}")
    if code > 0 and not names_the_file(said, faults):
        wrong.append(f"the error does not name {' or '.join(sorted(set(map(shown_name, faults))))}")
    if code > 0 and len(said.strip().splitlines()) == 0:
        wrong.append("no error was printed")
    if "terminate called" in said:
        wrong.append("an exception was not caught")
    if code == 0 and bench.scenario.files(folder) != bench.reference:
        wrong.append(f"exit 0 with another result: {differences(bench.reference, bench.scenario.files(folder))}")
    return wrong


def judge_rest(bench, folder):
    """What is wrong with what was there before."""
    lost = [name for name in bench.before if not is_kept(bench, folder, name)]
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
    left = [str(path.relative_to(folder)) for path in folder.rglob("*") if TEMPORARY.match(path.name)]
    return wrong + [f"left behind: {', '.join(left)}"] if left else wrong


def run_case(bench, case):
    """How it went in a word, and what was wrong."""
    folder = bench.fresh(f"{case.kind}-{case.number}-{case.action}")
    code, log, said = bench.start(folder, bench.scenario.run, {"SGF_FAULT": f"{case.kind} {case.number} {case.action}"})
    faults = [line.split(" ", 3)[3] for line in log if line.startswith("FAULT ")]
    is_kill = case.action in KILLS
    if not faults:
        how, wrong = "not reached", ([] if code == 0 else [f"no fault, but exit {code}"])
    elif is_kill:
        how, wrong = "killed", [] if code == -signal.SIGKILL else [f"not killed, but exit {code}"]
    else:
        how, wrong = ("went on" if code == 0 else "error names it"), judge_fault(bench, folder, code, faults, said)
    wrong += judge_rest(bench, folder) + judge_again(bench, folder)
    where = shown_name(faults[0]) if faults else "-"
    if not wrong:
        shutil.rmtree(folder)
    return how, [f"{spell(case)} ({where}): {text}" for text in wrong] + ([f"  it said: {said.strip()}"] if wrong else [])


def run_timed_kill(bench, seconds, number):
    """A kill after so long, wherever the program is then."""
    folder = bench.fresh(f"timed-{number}")
    process = subprocess.Popen([bench.scenario.program, *bench.scenario.run], cwd=folder, env=clean_environment(folder),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(seconds)
    process.kill()
    how = "killed" if process.wait() == -signal.SIGKILL else "not reached"
    wrong = judge_rest(bench, folder) + judge_again(bench, folder)
    if not wrong:
        shutil.rmtree(folder)
    return how, [f"{bench.scenario.name} killed after {seconds:.3f} s: {text}" for text in wrong]


def all_cases(bench):
    numbers = collections.Counter()
    for call in bench.calls:
        numbers[call.kind] += 1
        for action in actions_of(call):
            yield Case(bench.scenario.name, call.kind, numbers[call.kind], action)


def kill_cases(bench, count, chosen):
    """Spread evenly over the calls, from a chosen first one."""
    step = len(bench.calls) / max(count, 1)
    first = chosen.random() * step
    return [Case(bench.scenario.name, "any", 1 + min(int(first + i * step), len(bench.calls) - 1), KILLS[i % 3])
            for i in range(count)]


def sampled_cases(bench, seed):
    """Of every kind and fault one, and three kills."""
    chosen = random.Random(f"{bench.scenario.name} {seed}")
    groups = collections.defaultdict(list)
    for case in all_cases(bench):
        groups[case.kind].append(case)
    cases = [chosen.choice(group) for group in groups.values()]
    return chosen.sample(cases, min(4, len(cases))) + kill_cases(bench, 2, chosen)


def control(bench):
    """A disk that keeps half of what it says it wrote: what none of these checks saw would prove nothing."""
    last = sum(call.kind == "write" for call in bench.calls)
    for number in range(last, 0, -1):
        _, wrong = run_case(bench, Case(bench.scenario.name, "write", number, "lie"))
        if wrong:
            return True
    return False


class Tally:
    def __init__(self):
        self.counts = collections.defaultdict(collections.Counter)
        self.wrong = []

    def add(self, case_name, how, wrong):
        scenario, kind = case_name
        self.counts[scenario, kind]["violation" if wrong else how] += 1
        self.wrong += wrong
        for line in wrong:
            print(line, flush=True)

    def report(self):
        for (scenario, kind), outcomes in self.counts.items():
            words = ", ".join(f"{count} {how}" for how, count in sorted(outcomes.items()))
            print(f"{scenario:14} {kind:10} {sum(outcomes.values()):5}  {words}")
        total = sum(sum(outcomes.values()) for outcomes in self.counts.values())
        bad = sum(outcomes["violation"] for outcomes in self.counts.values())
        print(f"{total} cases, {bad} violations")
        return bad


def make_bench(args, kind, place):
    return Bench(kind(str(args.program), args.data), args.shim, place)


def run_all(args, place, tally):
    """Every wanted case of every wanted scenario."""
    wanted = [kind for kind in SCENARIOS if not args.scenario or kind.name in args.scenario]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        benches = list(pool.map(lambda kind: make_bench(args, kind, place), wanted))
        jobs = {}
        for bench in benches:
            for case in cases_of(args, bench):
                jobs[pool.submit(run_case, bench, case)] = (case.scenario, case.kind)
            for number, seconds in enumerate(timed_kills(args, bench, len(benches))):
                jobs[pool.submit(run_timed_kill, bench, seconds, number)] = (bench.scenario.name, "time")
        for job in concurrent.futures.as_completed(jobs):
            tally.add(jobs[job], *job.result())
    if args.sample and not control(benches[0]):
        tally.add(("control", "write"), "", ["a disk that loses what it was given was not noticed"])


def cases_of(args, bench):
    if args.all:
        yield from all_cases(bench)
    if args.kills:
        share = args.kills // len(args.scenario or SCENARIOS)
        yield from kill_cases(bench, share * 4 // 5, random.Random(args.seed))
    if args.sample:
        yield from sampled_cases(bench, args.sample)


def timed_kills(args, bench, benches):
    if not args.kills:
        return []
    share = -(-args.kills // benches)
    chosen = random.Random(f"{bench.scenario.name} {args.seed}")
    return [chosen.uniform(0.05, 0.6) for _ in range(share - share * 4 // 5)]


def run_only(args, place, tally):
    name, kind, number, action = args.only.split()
    scenario = next(kind for kind in SCENARIOS if kind.name == name)
    bench = make_bench(args, scenario, place)
    case = Case(name, kind, int(number), action)
    tally.add((name, kind), *run_case(bench, case))
    print(f"in {place}")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--shim", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--only")
    parser.add_argument("--scenario", action="append")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="keep the folders of violations")
    return parser.parse_args()


def main():
    args = parse_arguments()
    args.program, args.shim, args.data = (path.resolve() for path in (args.program, args.shim, args.data))
    Continue.shim = str(args.shim)
    place = Path(tempfile.mkdtemp(prefix="sgf-faults-")).resolve()
    tally = Tally()
    try:
        run_only(args, place, tally) if args.only else run_all(args, place, tally)
    finally:
        if not args.only and not args.keep:
            shutil.rmtree(place, ignore_errors=True)
    return 1 if tally.report() else 0


if __name__ == "__main__":
    sys.exit(main())
