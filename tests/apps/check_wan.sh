#!/usr/bin/env bash
# The path of people with Wan weights, on a folder of tiny random ones: make it, look at it, stream, sample, train; then
# folders that are damaged or mixed up, which must be noticed before anything is computed.
# usage: check_wan.sh SGF DATA, where DATA is tests/data
set -uo pipefail

SGF=$1
DATA=$2
# shellcheck source=tests/apps/expect.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/expect.sh"
FOLDER=$(mktemp -d)
trap 'rm -rf -- "$FOLDER"' EXIT
cd -- "$FOLDER" || exit 1
export XDG_CACHE_HOME=$FOLDER/cache OMP_NUM_THREADS=1

WAN=wan_models/Wan2.1-T2V-1.3B
STUDENT=checkpoints/chunkwise/ar/model.pt
STREAM=(generate --model "$STUDENT" --wan "$WAN" --quiet --threads 1 --size 64x64 --seconds 1 --prompt 'A red panda rides a bicycle.')
TRAIN=(train wan-tiny --quiet --set "data.wan=$WAN" --set data.prompts=prompts.txt --set "train.start_from=$STUDENT"
  --set "dmd.teacher=$WAN")

check_make() {
  expect 0 'total' "$SGF" wan make "$WAN" --dry-run
  [[ ! -e $WAN ]] || complain '--dry-run wrote something'
  expect 0 '69 GB' "$SGF" wan make big --size 14b --dry-run
  expect 0 'all weights are random' "$SGF" wan make "$WAN" --student "$STUDENT" --quiet
  expect 1 'pass --overwrite' "$SGF" wan make "$WAN" --quiet
  expect 1 'pass --overwrite' "$SGF" wan make "$WAN" --dry-run
  expect 0 'random' "$SGF" wan make again --student again.pt --threads 3 --quiet
  diff -r "$WAN" again && cmp "$STUDENT" again.pt || complain 'random weights depend on --threads'
  rm -rf again again.pt
  expect 2 '--size' "$SGF" wan make other --size huge
  expect 2 'DIR is empty' "$SGF" wan make '' --quiet
}

# Every command that doctor prints runs as it stands, in its order.
check_advice() {
  local command commands
  "$SGF" doctor wan_models checkpoints --json |
    python3 -c 'import json, sys; print(*json.load(sys.stdin)["can"], sep="\n")' >commands.txt
  mapfile -t commands <commands.txt
  ((${#commands[@]} == 5)) || complain "doctor offers ${#commands[@]} commands: ${commands[*]}"
  mkdir -p bin && ln -sf "$SGF" bin/sgf
  for command in "${commands[@]}"; do
    (PATH=$PWD/bin:$PATH && eval "$command") >said 2>&1 || complain "doctor's command failed: $command: $(tail -3 said)"
  done
  [[ -s runs/first/metrics.jsonl ]] || complain "doctor's training left $(ls runs/first)"
  rm -rf runs samples prompts.txt ./*.mp4
}

check_doctor() {
  local said
  said=$("$SGF" doctor wan_models checkpoints) || complain "doctor: exit $?"
  [[ $said == *'can be run now:'*"sgf generate --model $STUDENT --wan $WAN"*"sgf sample --model $WAN"*'sgf train'* ]] ||
    complain "doctor of everything said: $said"
  [[ $said == *'wan-1.3b-chunkwise, because its path ends in chunkwise/ar/model.pt'* ]] || complain "no window: $said"
  [[ $said != *missing* && $said != *broken* ]] || complain "doctor of whole files said: $said"
  check_advice
  expect 0 'needs a causal few-step student: hf download JunhaoZhuang/Self_Gradient_Forcing' "$SGF" doctor "$WAN"
  expect 0 '"wan_folders":[{"folder":"' "$SGF" doctor . --json
  mkdir -p empty
  expect 1 'no Wan folder and no weight file' "$SGF" doctor empty
  expect 1 'no such file or folder' "$SGF" doctor nowhere
  mv "$WAN/Wan2.1_VAE.pth" vae
  expect 1 "hf download Wan-AI/Wan2.1-T2V-1.3B Wan2.1_VAE.pth --local-dir $WAN" "$SGF" doctor "$WAN" # nothing runs
  said=$("$SGF" doctor "$WAN")
  [[ $said == *'VAE '*missing* && $said != *..* ]] || complain "doctor of a missing part said: $said"
  mv vae "$WAN/Wan2.1_VAE.pth"
  mkfifo pipe.pt
  expect 1 'pipe.pt: is not a regular file' "$SGF" doctor "$WAN" pipe.pt
  said=$("$SGF" doctor "$WAN" pipe.pt)
  [[ $said == *'pipe.pt: 0 bytes'* && $said != *TB* ]] || complain "doctor of a pipe said: $said"
  rm pipe.pt
}

# The teacher-forced start of a release: training starts from it, and generate warns.
check_start() {
  local start=release/init/chunkwise/ar_diffusion.pt said
  mkdir -p "${start%/*}" && cp "$STUDENT" "$start"
  said=$("$SGF" doctor wan_models release) || complain "doctor of a start: exit $?"
  [[ $said == *"a start of training (train.start_from=$start)"* ]] || complain "doctor of a start said: $said"
  [[ $said == *'sgf train wan-tiny'*"train.start_from=$start"*'sgf generate: needs a causal few-step student'* ]] ||
    complain "doctor of a start said: $said"
  [[ $said != *"sgf generate --model"* ]] || complain "doctor offers a many-step start to generate: $said"
  expect 0 'is a many-step model of teacher_forcing' "$SGF" "${STREAM[@]/$STUDENT/$start}" --out start.mp4
  rm -r release
}

# The commands of docs/wan.md.
check_path() {
  printf 'A red panda rides a bicycle.\na dog on the street\n' >prompts.txt
  expect 0 'tokens     ' "$SGF" text 'A red panda rides a bicycle.' --wan "$WAN" --device cpu
  expect 0 '21 frames' "$SGF" "${STREAM[@]}" --out panda.mp4
  expect 0 'identical' "$SGF" redo panda.mp4 --quiet --threads 1
  expect 0 '1 video,' "$SGF" sample --model "$WAN" --mode at-once --solver unipc --steps 2 --frames 3 --quiet --threads 1 \
    --set video.height=8 --set video.width=8 --prompt 'a dog' --out samples
  expect 0 '' "$SGF" "${TRAIN[@]}" --set train.steps=1 --out runs/one
  [[ -s runs/one/metrics.jsonl ]] || complain "a training step left $(ls runs/one)"
  expect 0 "sgf generate --model runs/one --wan $WAN" "$SGF" doctor wan_models runs # not a critic in its checkpoints
  expect 0 'frames' "$SGF" generate --model runs/one --wan "$WAN" --quiet --threads 1 --seconds 0.5 --prompt 'a dog' --out trained.mp4
}

# damaged TEXT: what generate and train say of the files as they are now, before they write anything.
damaged() {
  expect 1 "$1" "$SGF" "${STREAM[@]}" --out bad.mp4
  expect 1 "$1" "$SGF" "${TRAIN[@]}" --set train.steps=1 --out runs/bad
  expect 1 "$1" "$SGF" doctor wan_models checkpoints
  [[ ! -e bad.mp4 ]] || complain "$1: left a video"
  rm -rf runs/bad
}

check_damage() {
  local spiece=$WAN/google/umt5-xxl/spiece.model encoder=$WAN/models_t5_umt5-xxl-enc-bf16.pth
  cp -r wan_models whole_wan
  cp "$STUDENT" whole.pt
  printf 'no model' >"$spiece"
  damaged 'is not a complete SentencePiece model'
  cp "$DATA/text/plain_unigram.model" "$spiece"
  damaged 'is the tokenizer of another model: it has 500 pieces'
  cp "${spiece/wan_models/whole_wan}" "$spiece"
  head -c 20000 "${encoder/wan_models/whole_wan}" >"$encoder"
  damaged "$encoder"
  cp "${encoder/wan_models/whole_wan}" "$encoder"
  head -c 100000 whole.pt >"$STUDENT"
  damaged "$STUDENT"
  cp whole.pt "$STUDENT"
  expect 0 'can be run now' "$SGF" doctor wan_models checkpoints
  iconv -f UTF-8 -t UTF-16 prompts.txt >wide.txt
  expect 1 'is UTF-16 text, expected UTF-8' "$SGF" "${STREAM[@]:0:12}" --prompts wide.txt --out wide
  expect 1 'is UTF-16 text, expected UTF-8' "$SGF" "${TRAIN[@]}" --set data.prompts=wide.txt --set train.steps=1 --out runs/bad
  rm -rf runs/bad
  # The architecture is compared before the text encoder runs, which would leave its embeddings in the cache.
  XDG_CACHE_HOME=$FOLDER/unused expect 1 'another architecture: num_layers is 2, but 3' "$SGF" "${TRAIN[@]}" \
    --set model.num_layers=3 --set train.steps=1 --out runs/bad
  XDG_CACHE_HOME=$FOLDER/unused expect 1 'another architecture: dim is 256, but 1536' "$SGF" generate --model runs/one \
    --config wan-1.3b-chunkwise --wan "$WAN" --size 64x64 --prompt 'a dog' --out bad.mp4
  [[ ! -e unused && ! -e bad.mp4 && ! -e runs/bad ]] || complain 'another architecture was noticed late'
  expect 1 'has 16 latent channels, but the config world-tiny is for 12 of the built-in world' "$SGF" "${STREAM[@]}" \
    --config world-tiny --out bad.mp4
  expect 2 'is the many-step base model' "$SGF" "${STREAM[@]/$STUDENT/$WAN/diffusion_pytorch_model.safetensors}" --out bad.mp4
  printf 'num_heads: 24\npatch_size: 2\n' >hunyuan.yaml
  expect 1 'hunyuan.yaml:1' "$SGF" "${STREAM[@]}" --config hunyuan.yaml --out bad.mp4
  sed -i 's/"t2v"/"i2v"/' "$WAN/config.json"
  expect 1 'only text-to-video is supported' "$SGF" doctor "$WAN"
}

check_make
check_doctor
check_start
check_path
check_damage
exit "$FAILED"
