#!/usr/bin/env bash
# A run that is killed, stopped or out of disk goes on as if nothing had been: the same weights, moments and metrics,
# bit for bit.
# usage: check_kills.sh SGF
set -uo pipefail

SGF=$1
# shellcheck source=tests/apps/train_runs.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/train_runs.sh"

KILLS=50
STEPS=12
RANDOM=20260 # the seed of bash's numbers

now_ms() { date +%s%3N; }

# same_run A B: the checkpoint of the last step and all metrics are equal.
same_run() {
  local last
  last=$(compgen -G "$1/checkpoints/step_*" | sort | tail -n 1)
  diff -r "$last" "$2/checkpoints/${last##*/}" && cmp "$1/metrics.jsonl" "$2/metrics.jsonl"
}

# Every checkpoint that is marked as done must be the one that the unkilled run wrote at that step.
marked_are_whole() {
  local mark folder
  for mark in "$1"/checkpoints/step_*/DONE; do
    [[ -e $mark ]] || continue
    folder=$(dirname -- "$mark")
    diff -r "$folder" "$FOLDER/unkilled/checkpoints/${folder##*/}" || complain "$folder is marked but not whole"
  done
}

KILLED_RUN=(--set train.steps="$STEPS" --set output.checkpoint_every=1 --set output.keep_last=2)

# One start that is killed after so many milliseconds: 137, or its own exit code where it was done before that.
kill_after() {
  start "$1" "${DMD[@]}" "${KILLED_RUN[@]}" --resume
  sleep "$(($2 / 1000)).$(printf %03d $(($2 % 1000)))"
  end_with KILL
}

# end_with SIGNAL: gives the exit code.
end_with() {
  kill -"$1" "$PROCESS" 2>/dev/null
  wait "$PROCESS" 2>/dev/null
}

# wait_for COMMAND…: until it is true, or the run has ended.
wait_for() {
  until "$@" || ! kill -0 "$PROCESS" 2>/dev/null; do sleep 0.01; done
}

check_kills() {
  local began whole round=0 tries came landed=0
  began=$(now_ms)
  tiny "$FOLDER/unkilled" "${DMD[@]}" "${KILLED_RUN[@]}" --set output.keep_last=1000 >/dev/null || complain 'no run'
  whole=$(($(now_ms) - began))
  for ((tries = 0; landed < KILLS && tries < 5 * KILLS; ++tries)); do
    kill_after "$FOLDER/round_$round" $((RANDOM * whole / 32768))
    came=$?
    marked_are_whole "$FOLDER/round_$round"
    if ((came == 137)); then
      landed=$((landed + 1)) whole=$((whole * 51 / 50))
      continue
    fi
    ((came == 0)) || complain "killed folder cannot be resumed: exit $came: $(cat "$LOG")"
    same_run "$FOLDER/unkilled" "$FOLDER/round_$round" || complain "round $round differs from the unkilled run"
    round=$((round + 1))
    whole=$((whole * 4 / 5 + 50)) # it ended before the kill: the machine is faster than it was for the unkilled run
  done
  tiny "$FOLDER/round_$round" "${DMD[@]}" "${KILLED_RUN[@]}" --resume >/dev/null || complain 'the last round cannot be resumed'
  same_run "$FOLDER/unkilled" "$FOLDER/round_$round" || complain 'the last round differs from the unkilled run'
  tiny "$FOLDER/other" "${DMD[@]}" "${KILLED_RUN[@]}" --set run.seed=2 >/dev/null
  ! same_run "$FOLDER/unkilled" "$FOLDER/other" >/dev/null || complain 'a run of another seed counts as the same'
  ((landed >= KILLS)) || complain "only $landed of $tries kills met a living run"
  echo "$landed of $tries kills met a living run, in $((round + 1)) runs"
}

# 20 steps in one go against 10, a kill and 10 more, two samples accumulated one by one.
check_stage() {
  local stage=$1
  shift
  local run=("$@" --set train.steps=20 --set train.global_batch=2 --set train.micro_batch=1 --set output.checkpoint_every=10)
  tiny "$FOLDER/$stage-whole" "${run[@]}" >/dev/null || complain "$stage: no run"
  start "$FOLDER/$stage" "${run[@]}"
  wait_for test -e "$FOLDER/$stage/checkpoints/step_00000010/DONE"
  end_with KILL
  (($? == 137)) || complain "$stage: it ended before the kill: $(cat "$LOG")"
  tiny "$FOLDER/$stage" "${run[@]}" --resume >/dev/null || complain "$stage: cannot be resumed"
  same_run "$FOLDER/$stage-whole" "$FOLDER/$stage" || complain "$stage: 10 + kill + 10 differs from 20"
}

# Paths of a killed maker: whole shards stay as they are, the others are made again, and all are those of one that lived.
check_pairs() {
  local stage=$1 kept shard made=$FOLDER/$1-pairs
  pairs "$stage" "$FOLDER/$stage-unkilled" 5 200 >/dev/null || complain "$stage: no pairs"
  start_pairs "$stage" "$made" 5 200
  wait_for test -e "$made/shard_000001.json"
  end_with KILL
  (($? == 137)) || complain "$stage: the pairs were made before the kill: $(cat "$LOG")"
  expect 1 'of 5 shards are complete' tiny "$FOLDER/refused" --set "train.stage=$stage" \
    --set "train.start_from=$FOLDER/teacher" --set "data.pairs=$made"
  expect 1 'started with other settings: count is 5 in order.json, 6 in this command' pairs "$stage" "$made" 6 200
  kept=$(stat -c '%i %Y' "$made/shard_000001.safetensors")
  : >"$made/shard_000000.safetensors" # half of it
  expect 0 '5 of 5 complete' pairs "$stage" "$made" 5 200
  [[ $(stat -c '%i %Y' "$made/shard_000001.safetensors") == "$kept" ]] || complain "$stage: a whole shard was made again"
  for shard in 0 1 2 3 4; do
    cmp "$made/shard_00000$shard.safetensors" "$FOLDER/$stage-unkilled/shard_00000$shard.safetensors" ||
      complain "$stage: shard $shard differs"
  done
}

# A signal ends the run in order: exit 3, a checkpoint of the last step made, and an exact continuation.
check_signal() {
  local signal=$1 came steps run=("${DMD[@]}" --set output.checkpoint_every=1000)
  start "$FOLDER/$signal" "${run[@]}" --set train.steps=2000
  wait_for grep -qs '"step":2,' "$FOLDER/$signal/metrics.jsonl"
  end_with "$signal"
  came=$?
  steps=$(wc -l <"$FOLDER/$signal/metrics.jsonl")
  ((came == 3)) || complain "$signal: exit $came, expected 3: $(cat "$LOG")"
  [[ -e $FOLDER/$signal/checkpoints/$(printf step_%08d "$steps")/DONE ]] || complain "$signal: no checkpoint of step $steps"
  tiny "$FOLDER/$signal" "${run[@]}" --set train.steps=$((steps + 2)) --resume >/dev/null || complain "$signal: no resume"
  tiny "$FOLDER/$signal-whole" "${run[@]}" --set train.steps=$((steps + 2)) >/dev/null
  same_run "$FOLDER/$signal-whole" "$FOLDER/$signal" || complain "$signal: the resumed run differs"
}

# No room for the second checkpoint: exit 1 with words, the first stays, and with room again the run goes on.
check_no_room() {
  local run=("${DMD[@]}" --set output.checkpoint_every=2)
  tiny "$FOLDER/whole" "${run[@]}" --set train.steps=4 >/dev/null
  tiny "$FOLDER/room" "${run[@]}" --set train.steps=2 >/dev/null
  # shellcheck disable=SC2317 # called through expect
  without_room() { (ulimit -f 8 && tiny "$FOLDER/room" "${run[@]}" --set train.steps=4 --resume); }
  expect 1 'cannot be written: File too large' without_room
  [[ $(ls -A "$FOLDER/room/checkpoints") == step_00000002 ]] || complain "a checkpoint without room left: $(ls -A "$FOLDER/room/checkpoints")"
  tiny "$FOLDER/room" "${run[@]}" --set train.steps=4 --resume >/dev/null || complain 'with room again: no resume'
  same_run "$FOLDER/whole" "$FOLDER/room" || complain 'with room again: the run differs'
}

# The same on a real disk that is full, where this user may mount one.
check_full_disk() {
  local disk=$FOLDER/disk
  mkdir "$disk"
  if ! unshare -rm mount -t tmpfs -o size=200k none "$disk" 2>/dev/null; then
    echo 'full disk: skipped, nothing may be mounted here'
    return
  fi
  export SGF FOLDER
  # shellcheck disable=SC2016 # the inner shell expands it
  expect 1 'the disk is full' unshare -rm bash -c '
    set -- "$@" --quiet --set output.checkpoint_every=1 --set output.keep_last=1000 --out "$0"
    mount -t tmpfs -o size=1500k none "$(dirname -- "$0")" && "$SGF" train world-tiny "$@" --set train.steps=50
    code=$?
    compgen -G "$0/checkpoints/step_*/DONE" >/dev/null || code=9 # no good checkpoint stayed
    [[ -z $(compgen -G "$0/checkpoints/.*.tmp") ]] || code=8     # half a one did
    exit $code' "$disk/run" "${SMALL[@]}" --set video.frames=6 "${DMD[@]}"
}

tiny "$FOLDER/teacher" "${FLOW[@]}" >/dev/null || complain 'no teacher could be trained'
check_kills
check_stage flow_matching "${FLOW[@]}"
check_stage teacher_forcing "${FORCING[@]}"
check_stage dmd "${DMD[@]}"
check_stage causal_cd "${CONSISTENCY[@]}"
check_pairs causal_ode
check_stage causal_ode "${CAUSAL_ODE[@]}"
check_pairs bidirectional_ode
check_stage bidirectional_ode "${BIDIRECTIONAL_ODE[@]}"
check_signal TERM
check_signal INT
check_no_room
check_full_disk
exit "$FAILED"
