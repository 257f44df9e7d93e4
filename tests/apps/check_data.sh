#!/usr/bin/env bash
# Videos on disk as training data, as their users meet it: sgf data encode with good and bad files, kills, and runs on
# what it leaves, through a Wan folder of small files.
# usage: check_data.sh SGF DATA, where DATA is tests/data
set -uo pipefail

SGF=$1
DATA=$2
# shellcheck source=tests/apps/expect.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/expect.sh"
# shellcheck source=tests/apps/wan_folder.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/wan_folder.sh"
FOLDER=$(mktemp -d)
trap 'rm -rf -- "$FOLDER"' EXIT
cd -- "$FOLDER" || exit 1
export XDG_CACHE_HOME=$FOLDER/cache

CUT=(--height 64 --width 64 --text-len 16 --threads 1 --quiet)
# shellcheck disable=SC2317 # called through expect
# encode OUT STRIDE ARGS…: clips of 21 pictures of the videos, into that folder.
encode() {
  order_clips "$@"
  "$SGF" "${ENCODE[@]}"
}

order_clips() {
  ENCODE=(data encode videos --captions captions.csv --wan wan --out "$1" --frames 21 --stride "$2" "${CUT[@]}" "${@:3}")
}

SIZES=(dim=32 ffn_dim=48 freq_dim=16 text_dim=32 text_len=16 num_heads=2 num_layers=2 in_dim=16 out_dim=16)
# shellcheck disable=SC2317 # called through expect
# small COMMAND ARGS…: with a config of a network of next to nothing.
small() {
  local size set=()
  for size in "${SIZES[@]}"; do set+=(--set "model.$size"); done
  "$SGF" "$1" wan-1.3b-chunkwise "${set[@]}" --set video.height=8 --set video.width=8 --set video.frames=6 \
    --set data.wan=wan --set output.sample_every=0 --set run.dtype=float32 --set run.device=cpu --set run.threads=1 \
    ${QUIET---quiet} "${@:2}"
}

# shellcheck disable=SC2317 # called through expect
# train RUN STAGE ARGS…: a few steps of it on the clips.
train() {
  small train --set data.clips=clips --set "train.stage=$2" --set train.steps=6 --set train.global_batch=2 \
    --set optimiser.learning_rate=1e-3 --out "$1" "${@:3}"
}

# Two good videos of three seconds: mp4 where this build has FFmpeg, else folders of pictures.
make_videos() {
  local clips
  mkdir -p videos
  make_wan wan
  FORMAT=mp4
  if ! "$SGF" world render --out rendered --clips 2 --frames 48 >/dev/null 2>&1; then
    FORMAT=png
    rm -rf rendered
    "$SGF" world render --out rendered --clips 2 --frames 48 --format png >/dev/null || complain 'no clips were rendered'
  fi
  mapfile -t clips < <(find rendered -mindepth 1 -maxdepth 1 \( -name '*.mp4' -o -type d \) | sort)
  mv -- "${clips[0]}" videos/first.mp4
  mv -- "${clips[1]}" videos/second.mp4
  printf 'file,caption\nfirst.mp4,"A red panda, on a bicycle."\nsecond.mp4,A blue square.\n' >captions.csv
}

# A broken one, and one that has no caption.
add_bad_videos() {
  if [[ $FORMAT == mp4 ]]; then
    head -c 700 videos/first.mp4 >videos/broken.mp4
  else
    mkdir videos/broken.mp4
    echo nothing >videos/broken.mp4/frame_00000.png
  fi
  cp -r videos/first.mp4 videos/mute.mp4
  printf 'broken.mp4,Nothing.\ngone.mp4,Nobody.\n' >>captions.csv
}

check_encoding() {
  local before
  expect 0 '4 clips from 2 of 2 videos (2 encoded now), 0 skipped' encode clips 21
  before=$(stat -c '%i' clips/*.safetensors)
  expect 0 '4 clips from 2 of 2 videos (0 encoded now)' encode clips 21
  [[ $(stat -c '%i' clips/*.safetensors) == "$before" ]] || complain 'a second run made shards again'
  expect 1 'stride is 21 in order.json, 0 in this command' encode clips 0
  expect 1 'use 21 or 25' "$SGF" data encode videos --wan wan --out other --frames 22
  expect 1 'is not a folder, expected a folder of videos' "$SGF" data encode nowhere --wan wan --out other
  expect 2 '--wan is missing' "$SGF" data encode videos --out other
  [[ ! -e other ]] || complain 'a refused encode left a folder behind'
}

check_bad_videos() {
  cp -r clips kept
  add_bad_videos
  expect 4 'skipped: broken.mp4: ' encode clips 21
  expect 4 '1 video has no caption and is skipped: mute.mp4' encode clips 21
  expect 4 '1 caption has no video: gone.mp4' encode clips 21
  expect 4 '4 clips from 2 of 4 videos (0 encoded now), 2 skipped' encode clips 21
  grep -q '"problem": ' clips/manifest.json || complain 'the manifest does not say what was left out'
  cmp -s clips/prompts.safetensors kept/prompts.safetensors || complain 'the prompts were made again'
}

# Workers that share the folder and are killed at several moments: the same shards in the end.
check_kill() {
  local process shard after
  order_clips killed 21 --shard 0/2
  for after in 0.2 0.4 0.8 1.6; do
    "$SGF" "${ENCODE[@]}" >/dev/null 2>&1 & # the program itself, not a shell around it
    process=$!
    sleep "$after"
    kill -9 "$process" 2>/dev/null
    wait "$process" 2>/dev/null
  done
  expect 4 '' encode killed 21 --shard 0/2
  expect 4 '4 clips from 2 of 4 videos' encode killed 21 --shard 1/2
  for shard in clips/clips_*.safetensors; do
    cmp -s "$shard" "killed/$(basename "$shard")" || complain "$shard differs after a kill"
  done
}

check_runs() {
  local stage
  for stage in flow_matching teacher_forcing; do
    expect 0 '6 updates done' train "$stage" "$stage"
    expect 3 'stopped after update 3' train "$stage-parts" "$stage" --stop-after 3
    expect 0 '6 updates done' train "$stage-parts" "$stage" --resume
    cmp -s "$stage/metrics.jsonl" "$stage-parts/metrics.jsonl" || complain "$stage: a resumed run has other metrics"
    cmp -s {"$stage","$stage-parts"}/checkpoints/step_00000006/generator.safetensors ||
      complain "$stage: a resumed run has other weights"
  done
  expect 0 '6 updates done' train student causal_cd --set train.start_from=teacher_forcing \
    --set distil.teacher=teacher_forcing --set output.sample_every=6
  [[ -s student/samples/step_00000006/0.png ]] || complain 'no sample through the VAE'
  expect 1 'leave one of them empty' train both flow_matching --set data.world=world-tiny
  expect 1 'sgf data encode' train none flow_matching --set data.clips=nowhere
}

# Paths that clips lead, and paths that prompts lead without any: made, resumed, learnt, and not mixed up.
check_pairs() {
  local clips=(--set train.stage=causal_ode --set data.clips=clips --teacher teacher_forcing) run
  local prompts=(--set train.stage=bidirectional_ode --set data.prompts=prompts.txt --teacher flow_matching)
  local paths=(--count 3 --per-shard 1 --steps 8)
  printf 'A cat.\nA dog, running.\n' >prompts.txt
  expect 0 '2 shards made, 2 of 3 complete' small pairs "${clips[@]}" "${paths[@]}" --out led --shard 0/2
  expect 1 '2 of 3 shards are complete' train none causal_ode --set train.start_from=teacher_forcing --set data.pairs=led
  expect 0 '1 shard made, 3 of 3 complete' small pairs "${clips[@]}" "${paths[@]}" --out led --shard 1/2
  expect 0 '3 of 3 complete' small pairs "${prompts[@]}" "${paths[@]}" --out prompted
  expect 1 'was started with other settings: data' small pairs --set "train.stage=bidirectional_ode" \
    --set data.prompts=captions.csv --teacher flow_matching "${paths[@]}" --out prompted
  for run in ode ode-parts; do
    [[ $run == ode ]] || expect 3 'stopped after update 3' train "$run" causal_ode --set train.start_from=teacher_forcing \
      --set data.pairs=led --stop-after 3
    expect 0 '6 updates done' train "$run" causal_ode --set train.start_from=teacher_forcing --set data.pairs=led --resume
  done
  cmp -s ode/metrics.jsonl ode-parts/metrics.jsonl || complain 'causal_ode: a resumed run has other metrics'
  expect 0 '6 updates done' train prompted-ode bidirectional_ode --set 'data.clips=""' --set data.prompts=prompts.txt \
    --set train.start_from=flow_matching --set data.pairs=prompted
  printf x | dd of=led/shard_000001.safetensors bs=1 seek=900 conv=notrunc status=none
  expect 1 'shard_000001.safetensors: does not match the manifest' train tampered causal_ode \
    --set train.start_from=teacher_forcing --set data.pairs=led
  expect 0 '1 shard made, 3 of 3 complete' small pairs "${clips[@]}" "${paths[@]}" --out led
}

# The prompts of a file are encoded before the first step, and the encoder is freed; another run finds them in the cache.
check_prompts_ahead() {
  local dmd=(dmd --set 'data.clips=""' --set data.prompts=many.txt --set dmd.teacher=flow_matching
    --set train.start_from=teacher_forcing)
  printf 'A cat on a mat.\nA dog on a log.\nA bird on a wire.\n' >many.txt
  QUIET='' expect 0 'after which the text encoder is freed' train ahead "${dmd[@]}"
  [[ $(QUIET='' train again "${dmd[@]}" 2>&1) != *'text encoder'* ]] || complain 'cached prompts are encoded again'
  cmp -s ahead/metrics.jsonl again/metrics.jsonl || complain 'cached prompts give other metrics'
  printf '\xff\xfea\0\n\0' >many.txt
  expect 1 'many.txt: is UTF-16 text' train wide "${dmd[@]}"
}

# Folders of training data say what they are; one that is not whole says that.
check_inspect() {
  expect 0 'clips of sgf data encode, for data.clips' "$SGF" inspect clips
  expect 0 '"content":"pairs of sgf pairs, for data.pairs"' "$SGF" inspect --json led
  expect 0 'shard of sgf pairs, for data.pairs' "$SGF" inspect led/shard_000000.safetensors
  cp -r led half && rm half/manifest.json
  expect 1 'pairs of sgf pairs, for data.pairs' "$SGF" inspect half
}

# The recipes name their data: what is missing is said with the command that makes it, and nothing more once it is there.
check_recipes() {
  local said
  mkdir recipe
  printf 'base: wan-1.3b-framewise\nname: tf\ntrain: {stage: teacher_forcing}\ndata: {clips: data/clips, wan: wan}\n' >recipe/a.yaml
  expect 1 'a.yaml: data.clips: data/clips does not exist or is incomplete; make it with sgf data encode' \
    "$SGF" recipe run recipe --dry-run
  expect 1 'sgf data encode VIDEOS --captions FILE --wan wan --out data/clips' "$SGF" recipe run recipe
  mkdir data && cp -r clips data/clips
  said=$("$SGF" recipe run recipe --dry-run 2>&1 >/dev/null) || complain 'a recipe whose clips are there was refused'
  [[ -z $said ]] || complain "a recipe whose clips are there: $said"
}

make_videos
check_encoding
check_bad_videos
check_kill
check_runs
check_pairs
check_prompts_ahead
check_inspect
check_recipes
exit "$FAILED"
