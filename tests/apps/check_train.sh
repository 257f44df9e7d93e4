#!/usr/bin/env bash
# `sgf train` as its users meet it: what is refused before any work, flat Self-Forcing-style files, exit codes.
# usage: check_train.sh SGF DATA, where DATA is tests/data
set -uo pipefail

SGF=$1
DATA=$2
# shellcheck source=tests/apps/train_runs.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/train_runs.sh"
# shellcheck source=tests/apps/wan_folder.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/wan_folder.sh"

# refused TEXT ARGS…: exit 1, the text on stderr, and no run folder left behind.
refused() {
  local text=$1 said came
  shift
  said=$(tiny "$FOLDER/refused" "$@" 2>&1)
  came=$?
  [[ $came == 1 && $said == *"$text"* ]] || complain "$*: exit $came, expected 1 and '$text', said: $said"
  [[ ! -e $FOLDER/refused ]] || complain "$*: left a folder behind"
  rm -rf -- "$FOLDER/refused"
}

# Two processes with a sample each, then one alone: the run of one process, to rounding.
check_ranks() {
  local rank port=$((20000 + RANDOM % 20000)) args=("$@" --set train.steps=6 --set train.micro_batch=1)
  rm -rf -- "$FOLDER/alone" "$FOLDER/ranks"
  tiny "$FOLDER/alone" "${args[@]}" >/dev/null || complain 'a run of one process failed'
  for rank in 0 1; do
    RANK=$rank WORLD_SIZE=2 LOCAL_RANK=$rank MASTER_ADDR=127.0.0.1 MASTER_PORT=$port \
      tiny "$FOLDER/ranks" "${args[@]}" --stop-after 3 >"$FOLDER/rank$rank" 2>&1 &
  done
  wait
  grep -q 'this build has no Gloo' "$FOLDER/rank0" && return # no Gloo in this build
  expect 0 '6 updates done' tiny "$FOLDER/ranks" "${args[@]}" --resume
  python3 - "$FOLDER/alone/metrics.jsonl" "$FOLDER/ranks/metrics.jsonl" <<'PYTHON' || complain "ranks: $(cat "$FOLDER"/rank?)"
import json, sys
alone, ranks = ([json.loads(line) for line in open(path)] for path in sys.argv[1:])
assert len(alone) == len(ranks) == 6, (len(alone), len(ranks))
for a, b in zip(alone, ranks):
    for name in ("critic_loss", "generator_loss"):
        assert (name in a) == (name in b), (a, b)
        assert name not in a or abs(a[name] - b[name]) <= 1e-5 * abs(a[name]), (name, a, b)
PYTHON
}

# Ranks that were started differently: all exit 1 with the same words, and no folder is made.
check_different_ranks() {
  local rank port=$((20000 + RANDOM % 20000)) more said
  for rank in 0 1; do
    more=$([[ $rank == 0 ]] && echo train.steps=4 || echo train.steps=6)
    (
      RANK=$rank WORLD_SIZE=2 LOCAL_RANK=$rank MASTER_ADDR=127.0.0.1 MASTER_PORT=$port \
        tiny "$FOLDER/differ" "${FLOW[@]}" --set "$more" >"$FOLDER/differ$rank" 2>&1
      echo "exit $?" >>"$FOLDER/differ$rank"
    ) &
  done
  wait
  grep -q 'this build has no Gloo' "$FOLDER/differ0" && return # no Gloo in this build
  for rank in 0 1; do
    said=$(<"$FOLDER/differ$rank")
    [[ $said == *"differ in train.steps: '4' on rank 0 "*", '6' on rank 1 "*"exit 1" ]] || complain "ranks that differ: $said"
  done
  [[ ! -e $FOLDER/differ ]] || complain 'ranks that differ left a folder behind'
}

check_prompts() {
  : >"$FOLDER/empty.txt"
  printf 'a red square\na purple elephant\n' >"$FOLDER/unknown.txt"
  refused 'does not exist, expected a file of prompts' "${DMD[@]}" --set data.prompts=/nowhere.txt
  refused 'contains no prompts' "${DMD[@]}" --set "data.prompts=$FOLDER/empty.txt"
  refused "unknown.txt: prompt 2, 'a purple elephant'" "${DMD[@]}" --set "data.prompts=$FOLDER/unknown.txt"
  refused 'negative_prompt: prompt 1' "${DMD[@]}" --set negative_prompt=zebra
  refused 'output.sample_prompts: prompt 1' "${DMD[@]}" --set 'output.sample_prompts=[zebra]'
}

check_weights() {
  local key
  for key in train.start_from dmd.teacher dmd.critic; do
    refused 'no such weights or run folder' "${DMD[@]}" --set "$key=/nowhere"
    refused 'another architecture: num_layers is 2, but 1 in this config' "${DMD[@]}" --set "$key=$FOLDER/deeper"
    refused 'another architecture: num_heads is 4, but 2 in this config' "${DMD[@]}" --set "$key=$FOLDER/heads"
  done
  refused 'needs a teacher' --set "train.start_from=$FOLDER/teacher"
  refused 'needs a student' --set "dmd.teacher=$FOLDER/teacher"
  refused 'format 9, but this program reads formats up to' "${DMD[@]}" --set "train.start_from=$FOLDER/newer.safetensors"
}

# Few-step students: what they lack is named, and pairs are split among ranks as they are among one.
check_students() {
  refused 'set distil.teacher' --set train.stage=causal_cd --set "train.start_from=$FOLDER/teacher"
  refused 'no such weights or run folder' "${CONSISTENCY[@]}" --set distil.teacher=/nowhere
  refused 'make them with sgf pairs' --set train.stage=causal_ode --set "train.start_from=$FOLDER/teacher"
  refused 'contains no ODE pairs' "${CAUSAL_ODE[@]}"
  expect 1 'needs train.stage causal_ode or bidirectional_ode, got dmd' pairs dmd "$FOLDER/paths" 5 8
  expect 1 "begins at the student's timestep 937.5" pairs causal_ode "$FOLDER/paths" 5 7
  expect 2 '--shard must be INDEX/WORKERS' pairs causal_ode "$FOLDER/paths" 5 8 --shard 2
  expect 2 '--shard I/N needs an index from 0 to N - 1' pairs causal_ode "$FOLDER/paths" 5 8 --shard 2/2
  [[ ! -e $FOLDER/paths ]] || complain 'refused pairs left a folder behind'
  expect 0 '5 of 5 complete' pairs causal_ode "$FOLDER/causal_ode-pairs" 5 8
  check_ranks "${CAUSAL_ODE[@]}"
}

# Many-step models, looked at.
check_samples() {
  local look=(sample --model "$FOLDER/teacher" --count 2 --steps 2 --quiet --out "$FOLDER/look")
  expect 0 '2 videos, at-once, 2 euler steps' "$SGF" "${look[@]}"
  [[ -s $FOLDER/look/1.png && $(wc -l <"$FOLDER/look/prompts.txt") == 2 ]] || complain 'no strip, or no prompts'
  expect 1 'is not empty; pass --overwrite' "$SGF" "${look[@]}"
  local state
  for state in "$FOLDER"/teacher/checkpoints/step_*/ "$FOLDER"/teacher/checkpoints/step_*/generator.safetensors; do
    expect 0 'at-once, 2 euler steps' "$SGF" "${look[@]/$FOLDER\/teacher/$state}" --overwrite # as the run's config says
  done
  expect 0 'is a many-step model of flow_matching' "$SGF" generate --model "$FOLDER/teacher" --seconds 0.2 --format none --threads 1 \
    --quiet --out "$FOLDER/nothing"
  expect 0 'blocks, 2 unipc steps' "$SGF" "${look[@]}" --overwrite --mode blocks --solver unipc --png --prompt 'a fast red disc on a grey field'
  [[ -s $FOLDER/look/0/frame_00005.png ]] || complain 'no pictures'
  expect 0 'a fast red disc on a grey field' "$SGF" world measure --manifest "$FOLDER/look/manifest.json" --segments 1
  expect 0 'at-once, 2 euler steps' "$SGF" "${look[@]}" --overwrite --mode at-once --frames 5 --png
  [[ -s $FOLDER/look/0/frame_00004.png && ! -e $FOLDER/look/0/frame_00005.png ]] || complain 'pictures of an earlier sample stay'
  expect 1 "unknown word 'unicorn'" "$SGF" "${look[@]::8}" --out "$FOLDER/unseen" --prompt 'a unicorn'
  [[ ! -e $FOLDER/unseen ]] || complain 'a refused sample left a folder behind'
  expect 1 'use sgf generate for few-step students' "$SGF" "${look[@]}" --overwrite --set train.stage=causal_cd
}

# Of a folder whose second run learns paths that the first one teaches.
check_recipe_of_pairs() {
  local run=(recipe run paths "${SMALL[@]}" --set video.frames=6 --quiet)
  cd "$FOLDER" || return
  mkdir paths
  printf 'base: world-tiny\nname: p-teacher\ntrain: {stage: teacher_forcing, steps: 2}\n' >paths/a.yaml
  printf 'base: world-tiny\nname: p-student\ntrain: {stage: causal_ode, steps: 2, start_from: runs/p-teacher}\n' >paths/b.yaml
  printf 'data: {pairs: p-pairs}\n' >>paths/b.yaml
  expect 3 'sgf pairs paths/b.yaml --teacher runs/p-teacher --count N' "$SGF" "${run[@]}"
  [[ -d runs/p-teacher && ! -e runs/p-student ]] || complain 'the runs before the pairs were not made, or more'
  "$SGF" pairs paths/b.yaml --teacher runs/p-teacher --count 4 "${SMALL[@]}" --set video.frames=6 --quiet >/dev/null ||
    complain 'the pairs that a recipe waits for were not made'
  expect 0 '2 of 2, done' "$SGF" "${run[@]}"
  cd - >/dev/null || return
}

# The other files of a run say what they are, too.
check_run_files() {
  expect 0 'config of a run or model' "$SGF" inspect "$1/config.yaml"
  expect 0 'facts of a run' "$SGF" inspect "$1/facts.json"
  expect 0 'updates       3' "$SGF" inspect "$1/metrics.jsonl"
  expect 0 'report of a run' "$SGF" inspect "$1/report.html"
  mkdir elsewhere && cp "$1/report.html" elsewhere
  expect 1 'neither safetensors nor' "$SGF" inspect elsewhere/report.html
}

# A folder of two runs: one that was interrupted is gone on with, then the next, and a second time nothing is left to do.
check_recipe() {
  local run=(recipe run recipe "${SMALL[@]}" --set video.frames=6 --quiet) made
  cd "$FOLDER" || return
  mkdir recipe
  printf 'base: world-tiny\nname: r-student\ntrain: {stage: causal_cd, steps: 3, start_from: runs/r-teacher}\n' >recipe/a.yaml
  printf 'distil: {teacher: runs/r-teacher}\n' >>recipe/a.yaml
  printf 'base: world-tiny\nname: r-teacher\ntrain: {stage: teacher_forcing, steps: 3}\n' >recipe/b.yaml
  expect 3 'stopped after update 1' "$SGF" train recipe/b.yaml "${SMALL[@]}" --set video.frames=6 --quiet --stop-after 1
  expect 0 '1 of 3' "$SGF" "${run[@]}" --dry-run
  expect 0 'world-small-teacher' "$SGF" recipe run world-small --set run.device=cpu --dry-run
  expect 1 'did you mean world-small?' "$SGF" recipe run wrld-small --dry-run
  expect 0 '3 of 3, done' "$SGF" "${run[@]}"
  expect 0 'run of sgf train' "$SGF" inspect runs/r-teacher
  expect 0 'updates       3 of 3' "$SGF" inspect runs/r-teacher
  expect 0 'optimiser state of a checkpoint of sgf train' "$SGF" inspect runs/r-teacher
  check_run_files runs/r-teacher
  made=$(stat -c '%i' runs/*/checkpoints/step_00000003/generator.safetensors)
  [[ $(wc -w <<<"$made") == 2 ]] || complain "two runs were expected: $made"
  expect 0 '3 of 3, done' "$SGF" "${run[@]}"
  [[ $(stat -c '%i' runs/*/checkpoints/step_00000003/generator.safetensors) == "$made" ]] || complain 'a run was made twice'
  printf 'optimiser: {beta2: 0.9}\n' >>recipe/b.yaml
  expect 1 'recipe/b.yaml: runs/r-teacher: the run was made with another config: optimiser.beta2' \
    "$SGF" "${run[@]}" --dry-run
  expect 1 'undo the change, or remove the run to train it again' "$SGF" "${run[@]}"
  sed -i '$d' recipe/b.yaml
  expect 0 '4 of 4, done' "$SGF" "${run[@]}" --set train.steps=4
  expect 0 'runs/r-student was trained from an earlier version of runs/r-teacher (train.start_from)' \
    "$SGF" "${run[@]}" --set train.steps=4 --dry-run
  rm recipe/b.yaml
  rm -r runs/r-teacher
  expect 1 'runs/r-teacher does not exist' "$SGF" "${run[@]}" --set train.steps=5
  expect 1 'runs/r-teacher does not exist' "$SGF" "${run[@]}" --set train.steps=5 --dry-run
  rm -r runs/r-student
  ! "$SGF" --version | grep -q 'no CUDA' ||
    expect 1 "device 'cuda'" "$SGF" recipe run recipe --set run.device=cuda --set train.start_from=models --dry-run
  cd - >/dev/null || return
}

check_settings() {
  refused 'context.block_frames must divide video.frames, got blocks of 3 in 7' "${DMD[@]}" --set video.frames=7
  refused 'context.sink_frames must be less than video.frames, got 6 of 6' "${DMD[@]}" --set context.sink_frames=6
  refused 'micro_batch must be at most train.global_batch, got 9 of 2' "${DMD[@]}" --set train.micro_batch=9
  refused "unknown world 'wrld'" "${DMD[@]}" --set data.world=wrld
  refused 'did you mean train.steps?' "${DMD[@]}" --set train.step=3
  expect 1 'did you mean world-tiny?' "$SGF" train world-tny --out "$FOLDER/refused"
}

check_folders() {
  mkdir "$FOLDER/mine" && touch "$FOLDER/mine/thesis.tex"
  expect 1 'holds files that do not belong to a run' tiny "$FOLDER/mine" "${FLOW[@]}"
  expect 1 'cannot create the folder' tiny "$FOLDER/mine/thesis.tex/run" "${FLOW[@]}"
  expect 1 'already holds a run; pass --resume' tiny "$FOLDER/teacher" "${FLOW[@]}"
  expect 1 'the run was made with another config: optimiser.learning_rate (run: 1.0e-05, this config: 1.0)' \
    tiny "$FOLDER/teacher" "${FLOW[@]}" --resume --set optimiser.learning_rate=1
  expect 0 '1 update done' tiny "$FOLDER/teacher" "${FLOW[@]}" --resume # nothing left to do
  expect 0 '2 updates done' tiny "$FOLDER/teacher" "${FLOW[@]}" --resume --set train.steps=2
  expect 0 '1 update done' tiny "$FOLDER/fresh" "${FLOW[@]}" --resume # no run yet: it begins
}

# Without their marks checkpoints are not taken, but named and kept.
check_unmarked() {
  cp -r "$FOLDER/fresh" "$FOLDER/unmarked"
  rm "$FOLDER"/unmarked/checkpoints/*/DONE
  expect 0 'step_00000001.damaged' tiny "$FOLDER/unmarked" "${FLOW[@]}" --resume
  [[ -e $FOLDER/unmarked/checkpoints/step_00000001.damaged/generator.safetensors ]] ||
    complain "a checkpoint without its mark is gone: $(ls "$FOLDER/unmarked/checkpoints")"
}

# A run whose newest checkpoint a later program wrote is not gone on with, and stays as it is.
check_newer_run() {
  cp -r "$FOLDER/fresh" "$FOLDER/later"
  cp "$FOLDER/newer.safetensors" "$FOLDER/later/checkpoints/step_00000001/generator.safetensors"
  # Without hashes, which know the file as it was before it was changed here.
  python3 -c '
import json, sys
mark = json.load(open(sys.argv[1]))
json.dump({key: mark[key] for key in ("step", "files")}, open(sys.argv[1], "w"))' \
    "$FOLDER/later/checkpoints/step_00000001/DONE"
  expect 1 'format 9' tiny "$FOLDER/later" "${FLOW[@]}" --resume --set train.steps=2
}

check_flat() {
  local flat=(train "$DATA/configs/flat_world.yaml" --set "train.start_from=$FOLDER/teacher"
    --set "dmd.teacher=$FOLDER/teacher" "${SMALL[@]}" --quiet --out "$FOLDER/flat")
  expect 0 'dim: 1536' "$SGF" config "$DATA/configs/self_forcing_dmd.yaml" --resolved
  expect 0 'the usual guidance weight of 4' "$SGF" config "$DATA/configs/self_forcing_dmd.yaml"
  expect 1 'lr is optimiser.learning_rate' "$SGF" "${flat[@]}" --set lr=1e-5
  expect 0 '2 updates done' "$SGF" "${flat[@]}"
  grep -q '"generator_loss"' "$FOLDER/flat/metrics.jsonl" || complain 'the flat file trained no generator'
  if "$SGF" config "$DATA/configs/flat_world.yaml" --resolved 2>/dev/null | "$SGF" config /dev/stdin 2>&1 >/dev/null |
    grep -q 'key in file'; then complain 'the resolved config of a flat file is not one of ours'; fi
}

# A Self-Forcing file where its users keep it, beside wan_models/ and prompts/; only the sizes are told otherwise.
check_flat_wan() {
  local sizes=(dim=32 ffn_dim=48 freq_dim=16 text_dim=32 num_heads=2 num_layers=2) size set=()
  for size in "${sizes[@]}"; do set+=(--set "model.$size"); done
  set+=(--set video.height=8 --set video.width=8 --set video.frames=6 --set train.steps=6 --set train.global_batch=2
    --set output.sample_every=6 --set run.dtype=float32 --set run.threads=1 --quiet)
  make_wan "$FOLDER/wan_models/Wan2.1-T2V-1.3B"
  cp -r "$FOLDER/wan_models/Wan2.1-T2V-1.3B" "$FOLDER/wan_models/Wan2.1-T2V-14B"
  mkdir -p "$FOLDER/prompts" "$FOLDER/checkpoints"
  printf 'A red panda rides a bicycle.\n色调艳丽\n' >"$FOLDER/prompts/vidprom_filtered_extended.txt"
  cp "$DATA/wan/diffusion_pytorch_model.safetensors" "$FOLDER/checkpoints/ode_init.pt"
  cp "$DATA/wan/config.json" "$FOLDER/checkpoints"
  (
    cd "$FOLDER" || exit 1
    export XDG_CACHE_HOME=$FOLDER/cache
    expect 3 'resume with sgf train sf/config.yaml --out sf --resume' \
      "$SGF" train "$DATA/configs/self_forcing_dmd.yaml" "${set[@]}" --out sf --stop-after 3
    expect 1 'or sf/config.yaml' "$SGF" train "$DATA/configs/self_forcing_dmd.yaml" --out sf --resume
    expect 0 '6 updates done' "$SGF" train sf/config.yaml --out sf --resume
    grep -q '"generator_loss"' sf/metrics.jsonl || complain 'a Self-Forcing file trained no generator'
    [[ -s sf/samples/step_00000006/0.png ]] || complain 'no sample through the VAE'
    exit "$FAILED"
  ) || FAILED=1
}

# A resumed run uses as many threads as it began with, so that its weights are those of one that never stopped.
check_threads() {
  local small=("${SMALL[@]::${#SMALL[@]}-2}") place=$FOLDER/threads run
  run=("$SGF" train world-tiny "${small[@]}" --set train.stage=flow_matching --set train.steps=2 --set video.frames=6 --quiet)
  stores() { grep -q "^  threads: $2\$" "$place-$1/config.yaml" || complain "$1 does not store $2 threads"; }
  expect 0 '2 updates done' env -u OMP_NUM_THREADS -u MKL_NUM_THREADS "${run[@]}" --device cpu --out "$place-chosen"
  stores chosen 1
  grep -q '^  device: cpu$' "$place-chosen/config.yaml" || complain '--device is not run.device'
  expect 0 '2 updates done' env OMP_NUM_THREADS=2 "${run[@]}" --out "$place-environment"
  stores environment 2
  expect 0 '2 updates done' "${run[@]}" --threads 2 --out "$place-whole"
  expect 3 'stopped after update 1' "${run[@]}" --threads 2 --stop-after 1 --out "$place-half"
  expect 0 '2 updates done' env -u OMP_NUM_THREADS "${run[@]}" --resume --out "$place-half"
  stores half 2
  cmp "$place"-{whole,half}/checkpoints/step_00000002/generator.safetensors || complain 'a resumed run rounds otherwise'
  expect 0 'using 2 CPU threads as before' env OMP_NUM_THREADS=1 "${run[@]}" --resume --out "$place-half"
  expect 0 'made with 2 CPU threads; results with 1 may differ' "${run[@]}" --resume --threads 1 --out "$place-half"
  stores half 1
  # Runs of version 0.1.0 store none, and keep torch's own number.
  sed -i 's/^  threads: .*/  threads: 0/' "$place-whole/config.yaml"
  expect 0 '2 updates done' "${run[@]}" --resume --out "$place-whole"
  stores whole 0
}

make_networks() {
  tiny "$FOLDER/teacher" "${FLOW[@]}" || complain 'no teacher could be trained'
  tiny "$FOLDER/deeper" "${FLOW[@]}" --set model.num_layers=2 || complain 'no deeper network could be trained'
  tiny "$FOLDER/heads" "${FLOW[@]}" --set model.num_heads=4 || complain 'no network of four heads could be trained'
  # The same length, so that the header's size stays true.
  sed 's/"sgf.format_version":"1"/"sgf.format_version":"9"/' "$FOLDER/teacher/checkpoints/step_00000001/generator.safetensors" \
    >"$FOLDER/newer.safetensors"
}

make_networks
check_ranks "${DMD[@]}"
check_ranks "${CONSISTENCY[@]}"
check_different_ranks
check_students
check_prompts
check_weights
check_settings
check_folders
check_unmarked
check_newer_run
check_samples
check_recipe
check_recipe_of_pairs
check_threads
check_flat
check_flat_wan
exit "$FAILED"
