#!/usr/bin/env python3
"""Commands of sgf whose file calls fail, come up short, or are their last: each must end with an error that names the
file or go on to the same result; what was there before stays; a second start, without the fault, gives the result of an
undisturbed run and leaves no temporary file.

  check_faults.py --program SGF --shim SHIM --data tests/data --sample SEED   some cases of each command
  check_faults.py … --all [--scenario NAME]…                                  every call with every fault
  check_faults.py … --kills N                                                 at least N kills, over all scenarios
  check_faults.py … --only 'SCENARIO KIND N ACTION'                           one case; its folder is kept

./run faults gives the program, the shim and the data. KIND and ACTION are those of fault_shim.cpp.
"""

import argparse
import collections
import concurrent.futures
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench import Bench, judge_again, judge_fault, judge_rest, shown_name, shown_path
from scenarios import SCENARIOS, Continue, clean_environment

FULL, BROKEN = "28+", "5"  # ENOSPC from then on, EIO once
KILLS = ("kill", "torn", "after")
# Scenario, kind, file and fault of cases that showed a mistake: they are in every sample.
ONCE_WRONG = [
    ("train", "openat", "0.png", BROKEN),  # the error named no file
    ("resume", "rename", "step_00000001/REMOVED", BROKEN),  # the checkpoint before stayed for good
    ("generate-mp4", "pwrite", "latents.safetensors.part", "short"),  # taken for an error, with a reason from elsewhere
    ("continue", "rename", "latents.safetensors", BROKEN),  # "Success"
    ("encode", "openat", "first.mp4", BROKEN),  # exit 0 without the video
]

Case = collections.namedtuple("Case", "scenario kind number action")


def spell(case):
    return f"{case.scenario} {case.kind} {case.number} {case.action}"


def actions_of(call):
    """What can go wrong with it: a disk that is full concerns only what changes it."""
    actions = [BROKEN] if call.intent == "read" else [FULL, BROKEN]
    return actions + ["short"] if call.kind in ("write", "pwrite") else actions


def run_case(bench, case):
    """How it went in a word, and what was wrong."""
    folder = bench.fresh(f"{case.kind}-{case.number}-{case.action}")
    code, log, said = bench.start(folder, bench.scenario.run, {"SGF_FAULT": f"{case.kind} {case.number} {case.action}"})
    faults = [(line.split(" ", 3)[1], line.split(" ", 3)[3]) for line in log if line.startswith("FAULT ")]
    is_kill = case.action in KILLS
    if not faults:
        how, wrong = "not reached", ([] if code == 0 else [f"no fault, but exit {code}"])
    elif is_kill:
        how, wrong = "killed", [] if code == -signal.SIGKILL else [f"not killed, but exit {code}"]
    else:
        how, wrong = ("went on" if code == 0 else "error names it"), judge_fault(bench, folder, code, faults, said)
        if case.action == "short" and code != 0:
            wrong.append("a short count is no error: the rest is to be written")
    wrong += judge_rest(bench, folder) + judge_again(bench, folder)
    where = shown_name(faults[0][1]) if faults else "-"
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


def case_at(bench, kind, name, action):
    """The first call of that kind on a file whose path ends so."""
    calls = [call for call in bench.calls if call.kind == kind]
    numbers = [i for i, call in enumerate(calls, 1) if shown_path(call.path).endswith("/" + name)]
    if not numbers:
        raise RuntimeError(f"{bench.scenario.name}: no {kind} of {name} any more: bring ONCE_WRONG up to date")
    return Case(bench.scenario.name, kind, numbers[0], action)


def sampled_cases(bench, seed):
    """What was once wrong, a call of four kinds each with some fault, and two kills."""
    chosen = random.Random(f"{bench.scenario.name} {seed}")
    groups = collections.defaultdict(list)
    for case in all_cases(bench):
        groups[case.kind].append(case)
    cases = [chosen.choice(group) for group in groups.values()]
    once_wrong = [case_at(bench, *rest) for scenario, *rest in ONCE_WRONG if scenario == bench.scenario.name]
    return once_wrong + chosen.sample(cases, min(4, len(cases))) + kill_cases(bench, 2, chosen)


def control(bench):
    """A disk that keeps half of what it says it wrote is noticed: checks that saw nothing then would prove nothing."""
    writes = [call.path for call in bench.calls if call.kind == "write"]
    number = 1 + next(i for i, path in enumerate(writes) if "generator.safetensors" in path)
    _, wrong = run_case(bench, Case(bench.scenario.name, "write", number, "lie"))
    return [] if wrong else ["a disk that loses what it was given was not noticed"]


class Progress:
    """A line every half minute: an hour without a word looks like a program that hangs."""

    def __init__(self, total):
        self.total = total
        self.done = 0
        self.began = self.said = time.monotonic()

    def step(self, violations):
        self.done += 1
        now = time.monotonic()
        if now - self.said < 30:
            return
        self.said = now
        left = (now - self.began) / self.done * (self.total - self.done) / 60
        print(f"{self.done} of {self.total} cases, {violations} violations, about {left:.0f} min left", file=sys.stderr,
              flush=True)


class Tally:
    def __init__(self):
        self.counts = collections.defaultdict(collections.Counter)
        self.wrong = []

    def violations(self):
        return sum(outcomes["violation"] for outcomes in self.counts.values())

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
        bad = self.violations()
        print(f"{total} cases, {bad} violations")
        if bad:
            print("./run faults --only 'SCENARIO KIND N ACTION' repeats one and keeps its folder")
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
            for case in dict.fromkeys(cases_of(args, bench)):  # none twice
                jobs[pool.submit(run_case, bench, case)] = (case.scenario, case.kind)
            for number, seconds in enumerate(timed_kills(args, bench)):
                jobs[pool.submit(run_timed_kill, bench, seconds, number)] = (bench.scenario.name, "time")
        progress = Progress(len(jobs))
        for job in concurrent.futures.as_completed(jobs):
            tally.add(jobs[job], *job.result())
            progress.step(tally.violations())
    if args.sample:
        tally.add(("control", "write"), "noticed", control(benches[0]))


def share_of_kills(args):
    return -(-args.kills // len(args.scenario or SCENARIOS))


def cases_of(args, bench):
    if args.all:
        yield from all_cases(bench)
    if args.kills:
        yield from kill_cases(bench, share_of_kills(args), random.Random(args.seed))
    if args.sample:
        yield from sampled_cases(bench, args.sample)


def timed_kills(args, bench):
    """Beside those at calls, a quarter as many at any moment."""
    chosen = random.Random(f"{bench.scenario.name} {args.seed}")
    return [chosen.uniform(0.05, bench.seconds) for _ in range(share_of_kills(args) // 4)]


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
