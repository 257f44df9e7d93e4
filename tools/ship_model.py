#!/usr/bin/env python3
"""Makes the folder of a shipped model (models/README.md): weights in bfloat16, config, scores, commands.

  tools/ship_model.py runs/world-small-teacher models/world-small/teacher --command "sgf train recipes/..."
  tools/ship_model.py runs/study/chunkwise-sf-1.safetensors models/world-small/sf \\
      --config runs/study/runs/chunkwise-sf-1/config.yaml --scores runs/study/chunkwise-sf-1.json --command "..."

SOURCE is a run folder, whose last checkpoint is taken (the EMA if there is one), or a weight file, which needs
--config. The scores are those of one arm of a study, in the mean over its prompts.
"""
import argparse
import hashlib
import json
import pathlib
import shutil
import subprocess
import sys


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path, help="run folder or weight file")
    parser.add_argument("out", type=pathlib.Path, help="folder to make, models/WORLD/ROLE")
    parser.add_argument("--config", type=pathlib.Path, help="resolved config; the run folder's own by default")
    parser.add_argument("--scores", type=pathlib.Path, help="ARM.json of sgf study")
    parser.add_argument("--command", action="append", required=True, help="a command that made it; may be given again")
    parser.add_argument("--sgf", default="sgf", help="the program")
    return parser.parse_args()


def weights_of(source):
    if source.is_file():
        return source
    whole = sorted(mark.parent for mark in source.glob("checkpoints/step_*/DONE"))
    if not whole:
        sys.exit(f"ship_model: {source} is no weight file, and no run folder with a checkpoint")
    average = whole[-1] / "ema.safetensors"
    return average if average.exists() else whole[-1] / "generator.safetensors"


def mean(values):
    known = [value for value in values if value is not None]
    return round(sum(known) / len(known), 6) if known else None


def mean_scores(path):
    arm = json.loads(path.read_text())
    lengths = [f"{length}x" for length in arm["segments"]]
    scores = {metric: dict(zip(lengths, map(mean, segments))) for metric, segments in arm["scores"].items()}
    prompts = len(next(iter(arm["scores"].values()))[0])
    training = {key: value for key, value in (arm.get("training") or {}).items() if key != "config"}  # config.yaml has it
    return {"study": {"recipe_sha256": arm.get("recipe_sha256"), "prompts": prompts, "training": training or None},
            "scores": scores}


def main():
    args = parse_arguments()
    config = args.config or args.source / "config.yaml"
    if not config.is_file():
        sys.exit(f"ship_model: {config}: there is no such config; --config names it")
    args.out.mkdir(parents=True, exist_ok=True)
    weights = args.out / "model.safetensors"
    subprocess.run([args.sgf, "convert", weights_of(args.source), weights, "--dtype", "bfloat16", "--force"], check=True)
    shutil.copyfile(config, args.out / "config.yaml")
    metrics = {"sha256": hashlib.sha256(weights.read_bytes()).hexdigest(), "bytes": weights.stat().st_size}
    if args.scores:
        metrics.update(mean_scores(args.scores))
    (args.out / "metrics.json").write_text(json.dumps(metrics, indent=2) + "\n")
    (args.out / "command.txt").write_text("\n".join(args.command) + "\n")


if __name__ == "__main__":
    main()
