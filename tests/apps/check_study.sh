#!/usr/bin/env bash
# `sgf study` end to end at toy size: two granularities, a pair each, trained, evaluated, reported, gone on with.
# usage: check_study.sh SGF
set -uo pipefail

SGF=$1
# shellcheck source=tests/apps/train_runs.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/train_runs.sh"

write_recipe() {
  local sizes='model.dim=24, model.ffn_dim=32, model.freq_dim=16, model.num_heads=2, model.num_layers=1'
  local small="$sizes, video.frames=6, output.sample_every=0, output.report_every=0, run.threads=1"
  small+=', dmd.generator_every=2, dmd.critic_only_steps=0'
  cat >"$FOLDER/study.yaml" <<YAML
name: toy
chunkwise:
  config: world-tiny
  set: [$small]
  student: $FOLDER/teacher
  teacher: $FOLDER/teacher
  steps: 5
  seeds: 1
  twice: 1
  sinks: [0, 6]
framewise:
  config: world-tiny
  set: [$small, context.block_frames=1]
  student: $FOLDER/teacher
  teacher: $FOLDER/teacher
  steps: 5
  seeds: 1
  prompts: 2
evaluation:
  prompts: 3
  selection_prompts: 2
  batch: 2
  window_frames: 4
  segments: [1, 2, 4]
  horizons: [1, 2, 4]
  sink_horizon: 2
  teacher_steps: 2
  recovery_rollouts: 1
  probe_updates: 1
  strip_prompts: 2
analysis: {resamples: 100}
YAML
}

# shellcheck disable=SC2317 # called by expect
study() { "$SGF" study "$FOLDER/study.yaml" --out "$FOLDER/study" "$@"; }

# What a file of the study holds, by a Python expression on `arm` or `study`.
holds() {
  local file=$FOLDER/study/$1 claim=$2
  python3 - "$file" "$claim" <<'PYTHON' || complain "$file: not $claim"
import json, sys
value = json.load(open(sys.argv[1]))
sys.exit(not eval(sys.argv[2], {"arm": value, "study": value}))
PYTHON
}

check_refusals() {
  expect 1 'no such recipe' "$SGF" study /nowhere.yaml
  expect 1 'did you mean world-small?' "$SGF" study wrld-small --dry-run
  expect 0 'chunkwise-initial' "$SGF" study world-small --granularity chunkwise --dry-run
  expect 1 "no arm 'sgf-2'" study --arms sgf-2
  expect 1 'nothing to report' study --only report
  expect 1 'nothing to report' study --only report --dry-run
  expect 1 'is not trained yet' study --only evaluate --arms chunkwise-sgf-1
  expect 0 'unknown' study --dry-run
  sed 's/sinks: .*/sinks: [100]/' "$FOLDER/study.yaml" >"$FOLDER/sinks.yaml"
  expect 1 'a sink of 100 does not fit in the window' "$SGF" study "$FOLDER/sinks.yaml" --dry-run
  [[ $(study --dry-run --arms sgf-twice) =~ chunkwise-sgf-1-twice\ +10\ +to\ do ]] || complain 'no row for sgf-twice'
  expect 1 'no arm for --granularity chunkwise --arms framewise-sf-1' study --granularity chunkwise --arms framewise-sf-1
  expect 1 'is a file; name a folder with --out' "$SGF" study "$FOLDER/study.yaml" --out "$FOLDER/study.yaml"
  check_missing_student
}

# Said before anything is computed, though the arms that need it come last.
check_missing_student() {
  sed '/^framewise:/,/^evaluation:/s/student: .*/student: nowhere/' "$FOLDER/study.yaml" >"$FOLDER/missing.yaml"
  expect 1 'framewise.student: nowhere does not exist' "$SGF" study "$FOLDER/missing.yaml" --out "$FOLDER/missing"
  expect 1 'framewise.student: nowhere does not exist' "$SGF" study "$FOLDER/missing.yaml" --dry-run
  [[ ! -e $FOLDER/missing ]] || complain 'a study without its student began'
}

# The same end as a training that is stopped has, alone and beside others.
check_stop() {
  local jobs waits
  sed 's/segments: .*/segments: [1, 2, 4, 4000]/' "$FOLDER/study.yaml" >"$FOLDER/long.yaml"
  for jobs in 1 2; do
    rm -rf "$FOLDER/long"
    "$SGF" study "$FOLDER/long.yaml" --out "$FOLDER/long" --jobs $jobs --arms initial >"$FOLDER/stop.log" 2>&1 &
    for ((waits = 0; waits < 600; ++waits)); do
      grep -qs 'chunkwise-initial: evaluating' "$FOLDER/stop.log" "$FOLDER/long/logs/chunkwise-initial.log" && break
      sleep .1
    done
    kill -TERM $!
    wait $!
    [[ $? == 3 ]] || complain "a stopped evaluation did not end with 3: $(cat "$FOLDER/stop.log")"
    grep -q 'chunkwise-initial stopped' "$FOLDER/stop.log" || complain "it did not say so: $(cat "$FOLDER/stop.log")"
    [[ ! -e $FOLDER/long/chunkwise-initial.json ]] || complain 'a stopped evaluation left scores'
  done
}

# Weights say with which settings they were trained: a config that changed since is not theirs.
check_changed_config() {
  local presets
  presets=${SGF_PRESETS:-$(dirname "$0")/../../presets}
  cp -r "$presets" "$FOLDER/changed" && sed -i 's/learning_rate: .*/learning_rate: 0.123/' "$FOLDER/changed/world-tiny.yaml"
  SGF_PRESETS=$FOLDER/changed expect 1 'was made with optimiser.learning_rate' study --only evaluate --arms chunkwise-sf-1
}

# In pieces: one arm trained, then all the rest by two processes at a time, then nothing is left.
check_run() {
  local made
  expect 0 'chunkwise-sf-1: training' study --only train --arms chunkwise-sf-1
  [[ -s $FOLDER/study/chunkwise-sf-1.safetensors ]] || complain 'no weights were kept'
  expect 0 'trained' study --dry-run
  check_changed_config
  expect 0 'report: ' study --jobs 2 --threads 2 --lean
  [[ ! -e $FOLDER/study/runs/chunkwise-sf-1/checkpoints ]] || complain '--lean left checkpoints'
  [[ $(find "$FOLDER/study" -maxdepth 1 -name '*wise-*.json' | wc -l) == 12 ]] || complain "arms: $(ls "$FOLDER/study")"
  made=$(stat -c '%i' "$FOLDER"/study/*wise-*.json "$FOLDER"/study/*.safetensors)
  expect 0 'report: ' study --jobs 2
  [[ $(stat -c '%i' "$FOLDER"/study/*wise-*.json "$FOLDER"/study/*.safetensors) == "$made" ]] || complain 'an arm was made twice'
}

check_contents() {
  holds chunkwise-sgf-1.json 'len(arm["scores"]["valid"]) == 3 and len(arm["scores"]["valid"][0]) == 3'
  holds framewise-sgf-1.json 'len(arm["scores"]["valid"][0]) == 2'
  holds chunkwise-sgf-1.json 'len(arm["recovery"]) == 4 and all(r["relative_l2"] < 1e-3 for r in arm["recovery"])'
  holds chunkwise-sgf-1.json 'arm["probe"][-1]["layer"] == "all" and arm["probe"][-1]["ratio"] > 0'
  holds chunkwise-sgf-1.json 'arm["training"]["generator_updates"] == 2 and arm["strip"].startswith("iVBOR")'
  holds chunkwise-initial.json '[s["sink"] for s in arm["sinks"]] == [0, 6]'
  holds chunkwise-sf-1.json 'arm["weights"]["file"] == "chunkwise-sf-1.safetensors"'
  holds chunkwise-truth.json 'min(min(s) for s in arm["scores"]["valid"]) > .8'
  holds chunkwise-teacher.json 'arm["segments"] == [1]'
  holds chunkwise-sgf-1-twice.json 'arm["training"]["generator_updates"] == 4 and len(arm["scores"]["valid"]) == 3'
  holds chunkwise-sgf-1-twice.json 'not {"sinks", "recovery", "probe", "probe_left_out"} & set(arm)'
  holds study.json 'len(study["chunkwise"]["after_twice"]["words"]) == 1 + 4 + 3 and "after_twice" not in study["framewise"]'
  holds study.json "study['recipe_sha256'] == '$(sha256sum <"$FOLDER/study.yaml" | cut -d' ' -f1)'"
  holds study.json 'study["chunkwise"]["pairs"] == study["framewise"]["pairs"] == 1 and not study["chunkwise"]["unmatched"]'
  grep -q '</html>' "$FOLDER/study/study.html" || complain 'the page is not whole'
  grep -q '</svg>' "$FOLDER/study/study-framewise.svg" || complain 'no picture of the frame-wise arms'
  grep -q '^| metric | truth' "$FOLDER/study/study.md" || complain 'no table in study.md'
}

# Arms made elsewhere count; those of another recipe are refused.
check_moved() {
  mkdir "$FOLDER/brought"
  cp "$FOLDER"/study/*wise-*.json "$FOLDER/brought"
  expect 0 'brought/study.html' "$SGF" study "$FOLDER/study.yaml" --out "$FOLDER/brought"
  [[ ! -e $FOLDER/brought/runs ]] || complain 'arms that were brought were trained again'
  echo '# another' >>"$FOLDER/study.yaml"
  expect 1 'belongs to another recipe' study
  rm "$FOLDER"/study/*wise-* # and so are runs that were begun for one
  expect 1 'was started for another recipe' study --only train --arms chunkwise-sf-1
}

tiny "$FOLDER/teacher" "${FLOW[@]}" || complain 'no teacher could be trained'
write_recipe
check_refusals
check_stop
check_run
check_contents
check_moved
exit "$FAILED"
