#!/usr/bin/env bash
# `sgf generate` and `sgf redo` as their users meet them: sinks, prompts in time, many prompts, kills and continuation,
# bad input, a Wan folder.
# usage: check_generate.sh SGF DATA [KILLS], where DATA is tests/data; 50 kills take a minute more
set -uo pipefail

SGF=$1
DATA=$2
SOURCES=$(realpath -- "$DATA/../..")
KILLS=${3:-6}
RANDOM=20261 # the seed of bash's numbers

# shellcheck source=tests/apps/expect.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/expect.sh"
# shellcheck source=tests/apps/wan_folder.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/wan_folder.sh"
FOLDER=$(mktemp -d)
trap 'rm -rf -- "$FOLDER"' EXIT
cd -- "$FOLDER" || exit 1
export XDG_CACHE_HOME=$FOLDER/cache
LOG=$FOLDER/log
DISC='a fast red disc and a slow green square on a grey field'
STUDENT=(--model wan/diffusion_pytorch_model.safetensors --config wan-1.3b-chunkwise --wan wan)
SQUARE='a slow blue square and a fast yellow disc on a grey field'

# world ARGS…: the shipped model, about half a second a call.
world() { "$SGF" generate --model world-small --quiet --threads 1 "$@"; }

# refused CODE TEXT ARGS…: one line of error (a misuse has a second, what to try), and nothing left behind. A dry run
# says the same.
refused() {
  refused_once "$@"
  refused_once "$@" --dry-run
}

refused_once() {
  local code=$1 text=$2 before after output came
  shift 2
  before=$(ls -A)
  output=$("$SGF" generate --quiet --threads 1 "$@" 2>&1 >/dev/null)
  came=$?
  after=$(ls -A)
  [[ $came == "$code" && $output == *"$text"* && $(wc -l <<<"$output") == "$((came == 2 ? 2 : 1))" ]] ||
    complain "$*: exit $came, expected $code and '$text', said: $output"
  [[ $before == "$after" ]] || complain "$*: left $(comm -13 <(echo "$before") <(echo "$after"))"
}

# plays FILE PICTURES: it decodes, to at least so many.
plays() {
  local frames
  if command -v ffprobe >/dev/null; then
    frames=$(ffprobe -v error -count_frames -show_entries stream=nb_read_frames -of csv=p=0 "$1") || frames=0
  else
    "$SGF" generate --model world-small --quiet --threads 1 --video "$1" --seconds 0.1 --format none --out n >/dev/null 2>&1 &&
      frames=$2 || frames=0
  fi
  frames=${frames%,}
  [[ $frames =~ ^[0-9]+$ && $frames -ge $2 ]] || complain "$1 plays $frames pictures of $2"
}

# on_terminal COMMAND…: with a terminal as its stdout, which nobody reads.
# shellcheck disable=SC2317 # called through expect
on_terminal() {
  python3 -c 'import os, subprocess, sys
kept, terminal = os.openpty()
sys.exit(subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=terminal).returncode)' "$@"
}

# Of two y4m files, past their heads, which hold the hash of the order.
same_frames() { cmp -s <(tail -n +2 "$1") <(tail -n +2 "$2"); }

# The ordinary videos of other programs, under names that --continue is given: left as they are.
check_foreign() {
  local name before
  command -v ffmpeg >/dev/null || return 0
  for name in foreign.mp4 foreign.y4m; do
    ffmpeg -v error -f lavfi -i testsrc=size=64x64:rate=8:duration=1 -pix_fmt yuv420p "$name" </dev/null
    before=$(sha256sum "$name")
    expect 0 'video without the metadata of sgf generate' "$SGF" inspect "$name"
    expect 1 "$name was not made by this command" world --seconds 0.3 --continue --out "$name"
    [[ $(sha256sum "$name") == "$before" ]] || complain "--continue changed a foreign video: $name"
    [[ ! -e $name.lock && ! -e $name.state ]] || complain "left beside a foreign video: $(ls "$name"*)"
  done
}

# Edits of our own videos keep the note inside; what has outlived its state is not begun anew.
check_edits() {
  local name before
  local short=(--seconds 2 --save-every 1 --continue)
  world --seconds 2 --save-every 1 --out own.mp4 >/dev/null || complain 'no video'
  if command -v ffmpeg >/dev/null; then
    ffmpeg -v error -i own.mp4 -t 1 -c copy cut.mp4 </dev/null
    ffmpeg -v error -i own.mp4 -c copy -movflags +faststart fast.mp4 </dev/null
    ffmpeg -v error -i own.mp4 -f lavfi -i sine=duration=1 -c:v copy sound.mp4 </dev/null
    for name in cut fast sound; do
      grep -aq model_identity $name.mp4 || complain "$name.mp4 has lost its note: nothing to test"
      before=$(sha256sum $name.mp4)
      expect 1 "$name.mp4 was not made by this command" world "${short[@]}" --out $name.mp4
      [[ $(sha256sum $name.mp4) == "$before" ]] || complain "--continue changed an edit: $name.mp4"
    done
    rm cut.mp4 fast.mp4 sound.mp4
  fi
  rm own.mp4
  "$SGF" generate --model world-small --quiet --threads 1 --seconds 600 --save-every 1 --out own.mp4 >/dev/null 2>&1 &
  PROCESS=$!
  until [[ -s own.mp4 && $(stat -c %s own.mp4) -gt 30000 ]] || ! kill -0 "$PROCESS" 2>/dev/null; do sleep 0.01; done
  end_with KILL
  mv own.mp4.state kept
  before=$(sha256sum own.mp4)
  expect 1 'own.mp4.state is missing' world --seconds 600 --save-every 1 --continue --out own.mp4
  [[ $(sha256sum own.mp4) == "$before" ]] || complain 'a video without its state was begun anew'
  rm own.mp4* kept
}

# Files of others under the names of locks, states and manifests.
check_neighbours() {
  local before
  mkdir neighbours
  printf '%s\n' "$DISC" >neighbours/prompts.txt
  mkdir neighbours/many
  echo 'version = 4' >neighbours/Cargo.lock
  echo 'income 1' >neighbours/tax.mp4.state
  echo '{"clips": [{"file": "mine.mp4", "caption": "a holiday"}]}' >neighbours/many/manifest.json
  before=$(find neighbours -type f -exec sha256sum {} +)
  for more in '' --overwrite --dry-run; do
    # shellcheck disable=SC2086 # no word or one
    expect 1 'Cargo.lock: is not a lock of sgf' world --seconds 0.2 --out neighbours/Cargo/ $more
    # shellcheck disable=SC2086
    expect 1 'tax.mp4.state: is not a state of sgf' world --seconds 0.2 --out neighbours/tax.mp4 $more
  done
  expect 1 'manifest.json: was not written by sgf generate' world --seconds 0.2 --prompts neighbours/prompts.txt --out neighbours/many
  [[ $(find neighbours -type f -exec sha256sum {} +) == "$before" ]] || complain "changed: $(find neighbours -type f)"
  world --seconds 0.2 --prompts neighbours/prompts.txt --out neighbours/many --overwrite >/dev/null || complain 'no manifest'
  expect 0 'already complete' world --seconds 0.2 --prompts neighbours/prompts.txt --out neighbours/many --continue
  rm -r neighbours
}

# A video is measured by the prompt it holds, whatever its name; one whose prompt changes, or that holds none, is not.
check_own_prompt() {
  world --seconds 1 --prompt "$DISC" --out own.mp4 >/dev/null
  expect 0 "own.mp4: $DISC" "$SGF" world measure own.mp4
  [[ $("$SGF" world measure own.mp4) == "$("$SGF" world measure own.mp4 --prompt "$DISC")" ]] ||
    complain 'a video is measured otherwise by its own prompt'
  expect 0 'world_valid' "$SGF" eval own.mp4 --quiet --protocol world
  expect 0 'world_valid' "$SGF" eval pictures --quiet --protocol world
  world --seconds 1 --prompt "$DISC" --at 0:00.5 "$SQUARE" --out two.mp4 >/dev/null
  expect 1 'two.mp4 has 2 prompts; choose one with --prompt TEXT' "$SGF" world measure two.mp4
  expect 2 'file.y4m contains no prompt; pass --prompt TEXT' "$SGF" world measure file.y4m
}

check_sinks() {
  local said pictures
  said=$(world --seconds 1 --out a.mp4 --latents a.safetensors --json) || complain 'no mp4'
  [[ $said == *'"video_frames":18'*'"whole":true'* ]] || complain "--json said: $said"
  plays a.mp4 18
  expect 0 'latents, for sgf vae decode' "$SGF" inspect a.safetensors
  expect 0 'video of sgf generate' "$SGF" inspect a.mp4
  world --seconds 0.5 --out pictures/ >/dev/null || complain 'no PNG folder'
  pictures=(pictures/frame_*.png)
  ((${#pictures[@]} == 9)) || complain "PNG folder: ${#pictures[@]} pictures of 9"
  world --seconds 0.5 --out - 2>said | cat >piped.y4m
  [[ ${PIPESTATUS[0]} == 0 && $(<said) == *'9 frames'* ]] || complain "pipe: $(<said)"
  world --seconds 0.5 --out file.y4m >/dev/null
  expect 0 'frames of sgf generate; sgf-order.json' "$SGF" inspect pictures
  expect 0 'video without the metadata of sgf generate' "$SGF" inspect file.y4m
  same_frames file.y4m piped.y4m || complain 'y4m through a pipe is another than the file'
  expect 2 'pipe it (| ffplay -), or name a file' on_terminal "$SGF" generate --model world-small --seconds 0.5 --out -
  expect 0 '' on_terminal "$SGF" generate --model world-small --seconds 0.1 --quiet --format none --out -
  world --seconds 60 --out - 2>said | head -c 1000 >/dev/null
  [[ ${PIPESTATUS[0]} == 1 && $(<said) == *'closed the pipe'* ]] || complain "closed pipe: $(<said)"
  expect 0 'identical: all 18 frames' "$SGF" redo a.mp4 --quiet --threads 1
  [[ ! -e a.mp4.redo.mp4 ]] || complain 'redo left its video'
  cp a.mp4 a.mp4.redo.mp4
  expect 1 'a.mp4.redo.mp4 exists, which this command uses' "$SGF" redo a.mp4 --quiet --threads 1
  cmp a.mp4 a.mp4.redo.mp4 || complain 'redo took a file of that name for its own'
  : >a.mp4.redo.mp4.lock
  expect 1 'another process is writing this file' flock a.mp4.redo.mp4.lock "$SGF" redo a.mp4 --quiet --threads 1
  cmp a.mp4 a.mp4.redo.mp4 || complain 'redo removed what another process is writing'
  rm a.mp4.redo.mp4.lock
  rm a.mp4.redo.mp4
  expect 0 '{"first":null,"frames":18,"identical":true' "$SGF" redo a.mp4 --quiet --threads 1 --json
  expect 0 'prompts: [{"at":0.0,"prompt":"' "$SGF" redo a.mp4 --show
  expect 0 '"prompts":[{"at":0.0' "$SGF" redo a.mp4 --show --json
  "$SGF" redo a.mp4 --show | sed -n '/^config:/,$s/^  //p' >shown.yaml
  cmp <("$SGF" config shown.yaml --resolved) shown.yaml || complain 'redo --show prints another config than it read'
  expect 1 'already exists; pass --continue' world --seconds 1 --out a.mp4
  expect 1 'is an input of this video' world --seconds 1 --video a.mp4 --out a.mp4 --overwrite
  world --seconds 0.5 --out entire.y4m --latents entire.safetensors >/dev/null
  expect 0 'already complete' world --seconds 0.5 --out entire.y4m --latents entire.safetensors --continue
  truncate -s -100 entire.safetensors
  expect 1 'entire.safetensors' world --seconds 0.5 --out entire.y4m --latents entire.safetensors --continue
  world --seconds 0.5 --out entire/ >/dev/null && : >entire/frame_00000003.png
  expect 1 'frame_00000003.png' world --seconds 0.5 --out entire/ --continue
  check_own_prompt
  expect 0 '9 frames' world --seconds 0.5 --out pictures/ --overwrite
  expect 0 'already complete, 9 frames' world --seconds 0.5 --out pictures/ --continue
  expect 0 'already complete, 9 frames' world --seconds 0.5 --out file.y4m --continue
}

# says TEXT ARGS…: --dry-run of a model says so.
says() {
  local text=$1
  shift
  expect 0 "$text" "$SGF" generate "$@" --dry-run --json --out not.mp4
}

# A folder is streamed as its own config says, on a CPU in float32 unless a dtype was asked for.
check_folders() {
  local shipped=$SOURCES/models/world-small
  mkdir -p elsewhere
  cp -r "$shipped/student" elsewhere/same
  cp -r "$shipped/student" elsewhere/other
  sed -i 's/^  fifo_frames: .*/  fifo_frames: 3/; s/^  block_frames: .*/  block_frames: 1/' elsewhere/other/config.yaml
  expect 0 'window 3+6+3' "$SGF" generate --model elsewhere/same --quiet --threads 1 --seconds 0.5 --out same.y4m
  expect 0 'window 3+3+1' "$SGF" generate --model elsewhere/other --quiet --threads 1 --seconds 0.5 --out other.y4m
  same_frames same.y4m other.y4m && complain 'another window gives the same video'
  says '"blocks":8,' --model elsewhere/other/model.safetensors --seconds 0.5
  says '"blocks":3,' --model elsewhere/same/model.safetensors --seconds 0.5
  expect 0 'window 3+6+1' "$SGF" generate --model elsewhere/other --set context.fifo_frames=6 --quiet --threads 1 \
    --seconds 0.5 --out set.y4m
  expect 0 'window 3+6+3' "$SGF" generate --model elsewhere/other --config world-small --quiet --threads 1 \
    --seconds 0.5 --out config.y4m
  same_frames same.y4m config.y4m || complain '--config does not stand in for the folder'
  says "$shipped/sgf/model.safetensors" --model world-small
  grep -q 'dtype: bfloat16' "$shipped/sgf/config.yaml" || complain 'the shipped config names no other dtype: nothing to choose'
  says '"dtype":"float32"' --model world-small --device cpu
  says '"dtype":"bfloat16"' --model world-small --device cpu --dtype bfloat16
  says '"dtype":"float64"' --model world-small --device cpu --set run.dtype=float64
  says '"device":"cpu"' --model world-small --set run.device=cpu
  "$SGF" --version | grep -q 'no CUDA' && refused 1 "device 'cuda'" --model world-small --set run.device=cuda --out bad.mp4
}

check_prompts() {
  local long
  expect 0 'names 1 object, but world-small was trained on videos with 2' world --prompt 'a fast red disc on a grey field' \
    --seconds 0.1 --format none --out -
  [[ $(world --prompt "$DISC" --negative 'a red disc' --guidance 2 --seconds 0.1 --format none --out - 2>&1) != *'names '* ]] ||
    complain 'a warning of a good prompt, or of what is to be avoided'
  printf '\xef\xbb\xbf%s\r\n\r\n%s\r\n%s\r\n' "$DISC" "$SQUARE" "$DISC" >prompts.txt
  expect 0 "many/0002-a-fast-red-disc" world --seconds 0.2 --prompts prompts.txt --out many --dry-run
  [[ ! -e many ]] || complain '--dry-run made a folder'
  world --seconds 0.2 --prompts prompts.txt --out many --naming vbench --samples 2 >/dev/null || complain 'no videos'
  for name in "$DISC"-{0,1,2,3} "$SQUARE"-{0,1}; do
    [[ -e many/$name.mp4 ]] || complain "no $name.mp4, but $(ls many)"
  done
  cmp -s "many/$DISC-0.mp4" "many/$DISC-2.mp4" && complain 'a prompt in two lines gives one video twice'
  check_noise
  check_sets
  check_shards
  expect 0 'clips' "$SGF" world measure --manifest many/manifest.json
  expect 1 'already exists' world --seconds 0.2 --prompts prompts.txt --out many --naming vbench
  for i in 1 2 3 4; do world --seconds 0.05 --prompts prompts.txt --out beside --seed "$i" >/dev/null & done
  wait
  [[ $(grep -c '"file"' beside/manifest.json) == $((4 * 3)) && ! -e beside/.manifest.lock ]] ||
    complain "four sets at once left $(grep -c '"file"' beside/manifest.json) entries"
  rm "many/$SQUARE-1.mp4"
  expect 0 "$SQUARE-1.mp4: 6 frames" world --seconds 0.2 --prompts prompts.txt --out many --naming vbench --samples 2 --continue
  printf 'a cat\na dog\na cat\n' >cats.txt
  expect 0 '3 prompts, 2 encoded now' "$SGF" text --prompts cats.txt --wan wan --device cpu --cache ahead
  expect 0 '3 prompts, 0 encoded now' "$SGF" text --prompts cats.txt --wan wan --device cpu --cache ahead
  expect 0 'cache hit' "$SGF" text 'a dog' --wan wan --device cpu --cache ahead
  expect 0 'cache miss' "$SGF" text 'a bird' --wan wan --device cpu --cache ahead
  expect 2 'or a file of prompts' "$SGF" text
  expect 1 'needs a text encoder' "$SGF" text --prompts cats.txt
  # Printed as they are, in errors and tables; what would move a cursor is not.
  expect 1 "prompt '一只 Würfel': unknown word '一只'" world --prompt '一只 Würfel' --seconds 0.1 --out no.mp4
  expect 1 '\x1b' world --prompt $'a\x1b[31m disc' --seconds 0.1 --out no.mp4
  # Names that no file can have, with the encoder that takes any word.
  long=$(printf 'very %.0s' {1..60})
  printf '%s\n' 'a/b ../../etc' "$long" '一只红色的熊猫在雨中骑自行车' '.hidden' "${long}b" >awkward.txt
  expect 0 'awkward/一只红色的熊猫在雨中骑自行车-0/' "$SGF" generate --quiet --threads 1 "${STUDENT[@]}" --size 64x64 \
    --seconds 0.1 --prompts awkward.txt --naming vbench --format png --out awkward --dry-run
  "$SGF" generate --quiet --threads 1 "${STUDENT[@]}" --size 64x64 --seconds 0.1 --prompts awkward.txt --naming vbench \
    --format png --out awkward >/dev/null 2>&1 || complain 'awkward prompts: no videos'
  [[ $(find awkward -mindepth 1 -maxdepth 1 -type d | wc -l) == 5 && -e awkward/一只红色的熊猫在雨中骑自行车-0 ]] ||
    complain "awkward prompts: $(ls -A awkward)"
}

# seeds_of FOLDER: the seeds in its manifest, in the order of the list.
seeds_of() { grep -o '"seed": [0-9]*' "$1/manifest.json" | grep -o '[0-9]*' | tr '\n' ' '; }

# In prompts.txt a prompt is in the first and in the third line.
check_noise() {
  local few=(--seconds 0.1 --prompts prompts.txt --seed 7)
  world "${few[@]}" --samples 2 --format y4m --out own >/dev/null || complain 'noise of each prompt'
  [[ $(seeds_of own) == '7 7 8 8 9 9 ' ]] || complain "seeds of three prompts, two samples each: $(seeds_of own)"
  world --seconds 0.1 --seed 8 --prompt "$SQUARE" --out alone.y4m >/dev/null
  same_frames own/0001-*-8-0.y4m alone.y4m || complain 'prompt 1 has not the noise of seed + 1'
  world "${few[@]}" --same-noise --samples 2 --format y4m --out one >/dev/null || complain '--same-noise'
  [[ $(seeds_of one) == '7 7 7 7 7 7 ' ]] || complain "--same-noise: seeds $(seeds_of one)"
  world --seconds 0.1 --seed 7 --prompt "$SQUARE" --out alone.y4m --overwrite >/dev/null
  same_frames one/0001-*-7-0.y4m alone.y4m || complain '--same-noise: prompt 1 has not the noise of the seed'
  expect 1 'pass --same-noise to continue them' world "${few[@]}" --samples 2 --format y4m --out one --continue
  world "${few[@]}" --same-noise --naming vbench --out named >/dev/null || complain 'the same noise under names'
  expect 1 'pass --same-noise to continue it' world "${few[@]}" --naming vbench --out named --continue
  # The seeds decide, not the words of the message, which has the name of the folder.
  world "${few[@]}" --same-noise --naming vbench --out 'run.seed: 7' >/dev/null || complain 'a folder named as a key'
  [[ $(world "${few[@]}" --naming vbench --out 'run.seed: 7' --continue --guidance 2 2>&1) == *'guidance: 1.0 in the file, 2.0 in this command; use --overwrite'*'another name' ]] ||
    complain 'videos of another guidance are taken for videos of the same noise'
  expect 0 'already complete' world "${few[@]}" --same-noise --samples 2 --format y4m --out one --continue
  check_other_seed
  expect 1 'pass a smaller --seed' world --seconds 0.1 --prompts prompts.txt --seed 9223372036854775807 --out big
}

# A set of seed 7 has the names that seed 8 and the same noise would give its second line.
check_other_seed() {
  local few=(--seconds 0.1 --prompts prompts.txt --out seven)
  world "${few[@]}" --seed 7 >/dev/null || complain 'a set of seed 7'
  expect 1 'made with --seed 7; pass it' world "${few[@]}" --seed 8 --continue
  mv seven/0000-*-7.mp4 first.mp4
  expect 1 'made with --seed 7; pass it' world "${few[@]}" --seed 8 --continue # the manifest lists it
  mv seven/manifest.json list.json
  expect 1 'another --seed, or with the same noise' world "${few[@]}" --seed 8 --continue
  mv list.json seven/manifest.json
  expect 0 'already complete' world "${few[@]}" --seed 7 --continue
  world "${few[@]}" --seed 8 >/dev/null || complain 'a set of seed 8 beside it'
  expect 0 'already complete' world "${few[@]}" --seed 8 --continue
}

# A second set of videos in a folder is added to the manifest of the first; what was deleted is not listed.
check_sets() {
  local few=(--seconds 0.1 --prompts prompts.txt) rank
  world "${few[@]}" --seed 7 --out sets >/dev/null && world "${few[@]}" --seed 500 --out sets >/dev/null || complain 'two sets'
  [[ $(seeds_of sets) == '7 8 9 500 501 502 ' ]] || complain "seeds of two sets: $(seeds_of sets)"
  cp -r sets shared
  rm sets/0001-*-8.mp4
  world "${few[@]}" --seed 600 --out sets >/dev/null || complain 'a third set'
  [[ $(seeds_of sets) == '7 9 500 501 502 600 601 602 ' ]] || complain "seeds of what is there: $(seeds_of sets)"
  rm shared/0001-*-8.mp4
  for rank in 0 1; do
    world "${few[@]}" --seed 600 --shard $rank/2 --out shared >/dev/null || complain "a third set, --shard $rank/2"
    cmp sets/manifest.json shared/manifest.json || complain "--shard $rank/2: another manifest of several sets"
  done
  sed -i 's/"world": "world-small"/"world": "world-tiny"/' shared/manifest.json
  expect 1 "lists videos of 'world-tiny', these are of world-small" world "${few[@]}" --seed 700 --out shared
}

# Shards and ranks make what one process makes, each its part, and all write one manifest.
check_shards() {
  local few=(--seconds 0.1 --prompts prompts.txt --samples 2 --format y4m) rank
  world "${few[@]}" --out whole >/dev/null || complain 'one process'
  for rank in 0 1; do
    world "${few[@]}" --shard $rank/2 --out shards >/dev/null || complain "--shard $rank/2"
    [[ $(find shards -name '*.y4m' | wc -l) == $((3 * rank + 3)) ]] || complain "--shard $rank/2 made $(ls shards)"
    cmp -s whole/manifest.json shards/manifest.json || complain "--shard $rank/2: the manifest lists other videos"
  done
  (RANK=1 WORLD_SIZE=2 LOCAL_RANK=1 world "${few[@]}" --out ranks >/dev/null &&
    OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 world "${few[@]}" --out ranks >/dev/null) || complain 'ranks'
  for copy in shards ranks; do
    diff -r whole $copy >/dev/null || complain "$copy differ from one process: $(diff -rq whole $copy)"
  done
  expect 0 'has nothing to do: there are 6 videos' env RANK=7 WORLD_SIZE=8 "$SGF" generate --model world-small \
    "${few[@]}" --out more
  [[ ! -e more ]] || complain 'a process without videos made a folder'
  expect 2 'cannot be combined with a launcher' env RANK=0 WORLD_SIZE=2 "$SGF" generate --model world-small \
    "${few[@]}" --shard 0/2 --out no
  expect 2 'index from 0 to N - 1, got 2/2' world "${few[@]}" --shard 2/2 --out no
}

check_directing() {
  local switch
  world --seconds 1 --prompt "$DISC" --out directed.mp4 >/dev/null
  for switch in keep recache new-sink; do
    world --seconds 1 --prompt "$DISC" --at 0:00.5 "$SQUARE" --switch $switch --out $switch.mp4 >/dev/null ||
      complain "--switch $switch"
    for other in directed keep recache; do
      [[ $other == "$switch" ]] || ! cmp -s $switch.mp4 $other.mp4 || complain "--switch $switch gives the video $other"
    done
  done
  printf '# a comment\n0:00 %s\r\n0:00.5 %s\n' "$DISC" "$SQUARE" >script.txt
  world --seconds 1 --script script.txt --switch keep --out scripted.mp4 >/dev/null
  cmp scripted.mp4 keep.mp4 || complain '--script differs from --at'
  world --seconds 1 --image pictures/frame_00000000.png --out imaged.mp4 >/dev/null || complain '--image'
  world --seconds 1 --video a.mp4 --out longer.mp4 >/dev/null || complain '--video'
  world --seconds 0.2 --seed 9223372036854775807 --size 40x24 --steps 2 --prompt "$DISC" --guidance 2 \
    --negative "$SQUARE" --out turned.mp4 >/dev/null || complain 'seed, size, steps and guidance'
  for video in recache imaged longer turned; do
    expect 0 'identical' "$SGF" redo $video.mp4 --quiet --threads 1
  done
}

# start ARGS…: a video beside us; PROCESS is the program itself.
LONG=(--seconds 4 --save-every 4)
GROWN=(--latents grown.safetensors --out grown.mp4)
start() {
  "$SGF" generate --model world-small --quiet --threads 1 "${LONG[@]}" "${GROWN[@]}" "$@" >"$LOG" 2>&1 &
  PROCESS=$!
}

end_with() {
  kill -"$1" "$PROCESS" 2>/dev/null
  wait "$PROCESS" 2>/dev/null
}

# Until the first fragment is there, or the program has ended.
wait_for_fragment() {
  until [[ -s grown.mp4 && $(stat -c %s grown.mp4) -gt 6000 ]] || ! kill -0 "$PROCESS" 2>/dev/null; do sleep 0.01; done
}

check_kills() {
  local landed=0 tries came began whole
  world "${LONG[@]}" --latents whole.safetensors --out whole.mp4 >/dev/null || complain 'no video'
  began=$(date +%s%3N)
  world "${LONG[@]}" --format none --out nothing >/dev/null
  whole=$(($(date +%s%3N) - began))
  for ((tries = 0; landed < KILLS && tries < 5 * KILLS; ++tries)); do
    start --continue
    wait_for_fragment
    sleep "$(printf 0.%03d $((RANDOM % (whole < 999 ? whole : 999))))"
    end_with KILL
    came=$?
    if ((came == 137)); then
      landed=$((landed + 1))
      plays grown.mp4 1
      continue
    fi
    ((came == 0)) || complain "a killed video cannot be gone on with: exit $came: $(cat "$LOG")"
    same_as_whole
    rm -f grown.*
  done
  world "${LONG[@]}" "${GROWN[@]}" --continue >/dev/null 2>"$LOG" || complain "the last one: $(cat "$LOG")"
  same_as_whole
  expect 0 'identical' "$SGF" redo grown.mp4 --quiet --threads 1
  ((landed >= KILLS)) || complain "only $landed of $tries kills met a living program"
  echo "$landed of $tries kills met a living program"
}

same_as_whole() {
  cmp grown.safetensors whole.safetensors || complain 'the latents differ from the unkilled ones'
  cmp grown.mp4 whole.mp4 || complain 'the file differs from the unkilled one'
  [[ ! -e grown.mp4.state && ! -e grown.safetensors.part ]] || complain "left behind: $(ls -A)"
}

check_signal() {
  rm -f grown.*
  start
  wait_for_fragment
  end_with "$1"
  local came=$?
  [[ $came == 3 && $(<"$LOG") == *'continue resumes'* ]] || complain "$1: exit $came, expected 3: $(<"$LOG")"
  plays grown.mp4 1
  [[ ! -e grown.mp4.state || ! -e grown.mp4.lock ]] || complain "$1: left a lock beside a state"
  [[ ! -e grown.mp4.state ]] || expect 0 'state of a video that sgf generate --continue resumes' "$SGF" inspect grown.mp4.state
  expect 1 'run.seed: 301 in the file, 7 in this command' world "${LONG[@]}" "${GROWN[@]}" --continue --seed 7
  expect 1 'already exists' world "${LONG[@]}" "${GROWN[@]}"
  expect 0 'grown.mp4: ' world "${LONG[@]}" "${GROWN[@]}" --continue
  cmp grown.safetensors whole.safetensors || complain "$1: the latents differ from the unkilled ones"
  expect 0 'already complete, 66 frames' world "${LONG[@]}" "${GROWN[@]}" --continue
  expect 1 'run.seed: 301 in the file, 7 in this command' world "${LONG[@]}" "${GROWN[@]}" --continue --seed 7
  expect 1 'has 66 frames and no saved state' world --seconds 30 --save-every 4 "${GROWN[@]}" --continue
}

# No room: exit 1 with words, what was written plays, and with room again it goes on to the same end.
check_no_room() {
  rm -f grown.*
  # shellcheck disable=SC2317 # called through expect
  without_room() { (ulimit -f 150 && world "${LONG[@]}" "${GROWN[@]}"); }
  expect 1 'File too large' without_room
  plays grown.mp4 1
  world "${LONG[@]}" "${GROWN[@]}" --continue >/dev/null 2>"$LOG" || complain "with room again: $(cat "$LOG")"
  same_as_whole
}

# A pipe without a reader, and a name that JSON cannot hold.
check_odd_files() {
  mkfifo pipe.y4m pipe.mp4
  expect 1 'was not made by this command' timeout 60 "$SGF" generate --model world-small --quiet --seconds 0.1 --continue --out pipe.y4m
  expect 1 'is a pipe that no program reads' timeout 60 "$SGF" generate --model world-small --quiet --seconds 0.1 --overwrite --out pipe.mp4
  rm -f pipe.*
  cp -r "$SOURCES/models/world-small/student" $'stud\xffent'
  refused 1 'model is not UTF-8' --model $'stud\xffent' --seconds 0.1 --out bad.mp4
  rm -r $'stud\xffent'
  refused 1 "prompt is not UTF-8: 'bad" --model world-small --prompt $'bad\xff\xfe' --seconds 0.1 --out bad.mp4
}

check_bad_input() {
  local bad=(--model world-small --out bad.mp4)
  echo hello >text.txt
  : >empty.png
  : >empty.txt
  mkdir -p closed
  head -c 2000 a.mp4 >broken.mp4
  world --seconds 0.1 --set context.block_frames=1 --out short.mp4 >/dev/null
  refused 1 'did you mean world-small' --model wrld-small --out bad.mp4
  refused 2 'no model given: use --model world-small' --out bad.mp4
  refused 1 'contains no Wan DiT' --model "$DATA/wan/Wan2.1_VAE.pth" --prompt x --out bad.mp4
  refused 1 'contains no Wan DiT' --model "$DATA/weights/state_dict.pt" --prompt x --out bad.mp4
  refused 1 'neither safetensors nor' --model text.txt --prompt x --out bad.mp4
  refused 1 'preset without bundled weights' --model wan-14b --out bad.mp4
  for seconds in 0 -1 nan; do refused 2 '--seconds must be above 0' "${bad[@]}" --seconds $seconds; done
  for seconds in inf 1e30; do refused 1 'the length of a video must be more than 0' "${bad[@]}" --seconds $seconds; done
  refused 2 "--seconds must be a number above 0, got 'soon'" "${bad[@]}" --seconds soon
  for seed in -1 9223372036854775808 18446744073709551616 seven 1e3 ''; do
    refused 2 '--seed must be an integer from 0' "${bad[@]}" --seed "$seed"
  done
  refused 1 'next larger size is 48x40' "${bad[@]}" --size 48x33
  refused 2 '--size must be WIDTHxHEIGHT' "${bad[@]}" --size 48
  refused 2 'each side at most 1048576' "${bad[@]}" --size 9223372036854775807x9223372036854775807
  refused 2 '--steps must be 1 to 1000' "${bad[@]}" --steps 0
  for steps in 'schedule.first_block_steps=[1000]' 'schedule.denoising_steps=[1000, 500]' 'schedule={denoising_steps: [900]}'; do
    refused 2 '--steps cannot be combined with --set schedule.' "${bad[@]}" --steps 2 --set "$steps"
  done
  refused 2 '--guidance must be 0 or more, got nan' "${bad[@]}" --guidance nan
  refused 1 'no effect with --guidance 1' "${bad[@]}" --negative "$DISC"
  refused 2 "--prompt: a prompt must contain at least one word, got ''" "${bad[@]}" --prompt ''
  refused 2 "a prompt must contain at least one word, got '  '" "${bad[@]}" --prompt '  '
  refused 2 '--at: a prompt must contain at least one word' "${bad[@]}" --prompt "$DISC" --at 0:01 ''
  refused 1 "prompt 'a red zebra': " "${bad[@]}" --prompt 'a red zebra'
  refused 1 "prompt 'zebra': " "${bad[@]}" --prompt "$DISC" --negative zebra --guidance 2
  refused 1 'is not a readable video file' "${bad[@]}" --image "$PWD/text.txt"
  refused 1 'is not a PNG file' "${bad[@]}" --image empty.png
  refused 1 'is a folder, expected an image file' "${bad[@]}" --image closed
  refused 1 'no such image' "${bad[@]}" --image nowhere.png
  refused 1 'contains no frames' "${bad[@]}" --video broken.mp4
  refused 1 'needs at least 3 frames' "${bad[@]}" --video short.mp4
  refused 1 'does not exist, expected a file of prompts' --model world-small --prompts nowhere.txt --out bad
  refused 1 'are more than 100000 in one command' --model world-small --prompts prompts.txt --samples 100001 --out bad
  refused 1 'contains no prompts' --model world-small --prompts empty.txt --out bad
  printf '\xff\xfea\0\n\0' >wide.txt
  refused 1 'is UTF-16 text, expected UTF-8' --model world-small --prompts wide.txt --out bad
  refused 1 'expected a folder, but this is a file: ' --model world-small --prompts prompts.txt --out text.txt
  refused 2 '--naming needs --prompts' "${bad[@]}" --naming vbench
  refused 2 '--samples needs --prompts' "${bad[@]}" --samples 2
  refused 1 'must be in order of time' "${bad[@]}" --prompt "$DISC" --at 0:03 "$SQUARE" --at 0:02 "$DISC"
  refused 1 'a time must be written like' "${bad[@]}" --prompt "$DISC" --at soon "$SQUARE"
  refused 1 'has no known video format' --model world-small --out bad.avi
  refused 1 'no such folder: nowhere' --model world-small --out nowhere/bad.mp4
  refused 1 'at most 8192 pixels on each side, got 65536x48' --model world-small --size 65536x48 --enlarge 1 --out bad.mp4
  refused 1 'no such folder: nowhere' "${bad[@]}" --latents nowhere/l.safetensors
  refused 2 '--latents must be the name of a .safetensors file' "${bad[@]}" --latents a.mp4
  refused 1 'a.safetensors already exists' "${bad[@]}" --latents a.safetensors
  cp text.txt note.mp4
  refused 1 'was not made by this command' --model world-small --out note.mp4 --continue
  expect 1 'holds no metadata of sgf generate' "$SGF" redo file.y4m
  expect 1 'this video does not exist' "$SGF" redo nowhere.mp4
  expect 1 'cannot write nowhere/z.mp4: no such folder: nowhere' "$SGF" redo a.mp4 --quiet --out nowhere/z.mp4
}

# Official names and layout, small widths.
check_wan() {
  local panda=(--size 64x64 --seconds 1 --threads 1 --quiet --prompt 'A red panda rides a bicycle.') said part cached before
  expect 0 'panda.mp4' "$SGF" generate "${STUDENT[@]}" "${panda[@]}" --out panda.mp4 --dry-run
  [[ ! -e panda.mp4 && ! -e cache ]] || complain "--dry-run left something: $(ls -A)"
  "$SGF" generate "${STUDENT[@]}" "${panda[@]}" --out panda.mp4 >/dev/null || complain 'no video of a Wan folder'
  plays panda.mp4 17
  cached=$(find cache -name '*.safetensors')
  [[ $(wc -l <<<"$cached") == 1 && -n $cached ]] || complain "the prompt's rows are not in the cache: $cached"
  before=$(stat -c %Y%i "$cached")
  mv wan/models_t5_umt5-xxl-enc-bf16.pth t5.pth
  head -c 40000 t5.pth >wan/models_t5_umt5-xxl-enc-bf16.pth
  expect 1 'models_t5_umt5-xxl-enc-bf16.pth' "$SGF" generate "${STUDENT[@]}" "${panda[@]}" --out again.mp4
  cp t5.pth wan/models_t5_umt5-xxl-enc-bf16.pth
  cp wan/diffusion_pytorch_model.safetensors student.safetensors
  cp wan/config.json .
  expect 0 'again.mp4: 21 frames' "$SGF" generate --model student.safetensors --config wan-1.3b-chunkwise --wan wan "${panda[@]}" --out again.mp4
  [[ $(find cache -name '*.safetensors') == "$cached" && $(stat -c %Y%i "$cached") == "$before" ]] || complain 'a known prompt was encoded again'
  said=$("$SGF" generate "${STUDENT[@]}" --size 64x64 --seconds 0.1 --quiet --out long.mp4 --prompt "$(printf 'panda %.0s' {1..700})" 2>&1 >/dev/null)
  [[ $said == *'512'* ]] || complain "a long prompt is cut without a word: $said"
  for part in models_t5_umt5-xxl-enc-bf16.pth Wan2.1_VAE.pth google/umt5-xxl/spiece.model; do
    mv "wan/$part" part
    refused 1 "no $part" "${STUDENT[@]}" --size 64x64 --prompt x --out bad.mp4
    mv part "wan/$part"
  done
  refused 1 'pass --wan DIR, a Wan folder' --model student.safetensors --config self-forcing --size 64x64 --prompt x --out bad.mp4
  refused 1 '--size must be a multiple of 16x16 pixels for this network, got 72x64' "${STUDENT[@]}" --size 72x64 --prompt x --out bad.mp4
}

# asks TEXT CHOICE ARGS…: exit code 2, what is missing, and a line with a way on; nothing is written.
asks() {
  local text=$1 choice=$2 before output came
  shift 2
  before=$(ls -A)
  output=$("$SGF" generate --quiet --threads 1 "$@" --prompt x --out bad.mp4 2>&1 >/dev/null)
  came=$?
  [[ $came == 2 && $output == *"$text"* && $'\n'$output == *$'\n  '"$choice"* ]] ||
    complain "$*: exit $came, expected 2, '$text' and a line '$choice', said: $output"
  [[ $before == "$(ls -A)" ]] || complain "$*: left $(ls -A)"
}

# Weights that do not tell their window are asked about; a config beside them or their place in a release tells it.
check_windows() {
  local student=wan/diffusion_pytorch_model.safetensors place window
  local small=(--wan wan --size 64x64 --seconds 0.1 --threads 1 --quiet --prompt x --dry-run --json)
  asks 'is a Wan folder, whose network is the many-step base model' 'sgf generate --model checkpoints/' --wan wan
  asks 'needs a causal few-step student' 'sgf sample --model wan ' --model wan --config self-forcing
  asks 'needs a causal few-step student' 'sgf sample --model wan ' --model wan-1.3b-chunkwise --wan wan
  mkdir -p bare && cp "$student" wan/config.json bare
  asks 'nor its window; name a config' '--config wan-1.3b-framewise ' --model bare/diffusion_pytorch_model.safetensors --wan wan
  asks 'nor its window' '--config longlive  ' --model bare/diffusion_pytorch_model.safetensors --wan wan
  # "blocks" of 0.1 s: one latent frame each, or three
  for place in framewise/ar chunkwise/ar; do
    mkdir -p "$place" && cp "$student" "$place/model.pt" && cp wan/config.json "$place"
    window=$([[ $place == framewise/ar ]] && echo 'sink 4 + FIFO 16 + block 1' || echo 'sink 3 + FIFO 6 + block 3')
    expect 0 "$window, because its path ends in $place/model.pt" "$SGF" generate --model "$place/model.pt" "${small[@]}"
  done
  printf 'base: longlive\nname: mine\ncontext: {fifo_frames: 3}\n' >bare/mine.yaml
  expect 0 'sink 3 + FIFO 3 + block 3, because it is beside the weights' \
    "$SGF" generate --model bare/diffusion_pytorch_model.safetensors "${small[@]}"
  cp bare/mine.yaml bare/other.yaml
  asks 'has 2 configs beside it' '--config bare/mine.yaml' --model bare/diffusion_pytorch_model.safetensors --wan wan
  expect 0 '"config":"' "$SGF" generate --model bare/diffusion_pytorch_model.safetensors --config self-forcing "${small[@]}"
}

# same_frames A.y4m B.y4m: the first line holds a hash of the order, which names files.
same_frames() { cmp -s <(tail -n +2 "$1") <(tail -n +2 "$2"); }

# The same parts as a diffusers pipeline give the same pictures.
check_diffusers() {
  local panda=(--model student.safetensors --config self-forcing --size 64x64 --seconds 1 --threads 1 --quiet --prompt 'A red panda.') names
  names=$SOURCES/tests/apps/other_names.py
  mkdir -p pipe/{transformer,vae,text_encoder,tokenizer}
  echo '{"_class_name": "WanPipeline"}' >pipe/model_index.json
  "$SGF" convert wan/Wan2.1_VAE.pth vae.safetensors >/dev/null && "$SGF" convert wan/models_t5_umt5-xxl-enc-bf16.pth t5.safetensors >/dev/null &&
    "$SGF" convert wan pipe/transformer/diffusion_pytorch_model.safetensors --names diffusers >/dev/null || complain 'not converted'
  cp wan/config.json pipe/transformer
  cp wan/google/umt5-xxl/spiece.model pipe/tokenizer
  python3 "$names" vae vae.safetensors pipe/vae/diffusion_pytorch_model.safetensors
  python3 "$names" umt5 t5.safetensors pipe/text_encoder
  "$SGF" generate --wan wan "${panda[@]}" --out official.y4m >/dev/null || complain 'no video of an official folder'
  "$SGF" generate --wan pipe "${panda[@]}" --out pipe.y4m >/dev/null || complain 'no video of a diffusers folder'
  same_frames official.y4m pipe.y4m || complain 'a diffusers folder makes another video'
  expect 0 'Wan VAE: dim' "$SGF" inspect pipe
  mv pipe/tokenizer/spiece.model pipe/tokenizer/tokenizer.json
  refused 1 'tokenizer/tokenizer.json is not supported' --wan pipe --model student.safetensors --config self-forcing --size 64x64 --prompt x --out bad.mp4
}

# A LoRA is merged, stored in the video by its content, and compared when the video is continued or made again.
check_loras() {
  local base=$SOURCES/models/world-small/student/model.safetensors names=$SOURCES/tests/apps/other_names.py said
  python3 "$names" lora "$base" lora.safetensors 0
  python3 "$names" lora "$base" large.safetensors 5120
  expect 0 'rank 2, ' "$SGF" inspect lora.safetensors
  said=$(world --seconds 1 --prompt "$DISC" --lora lora.safetensors:0.5 --out with.mp4 2>&1 >/dev/null) || complain 'no video with a LoRA'
  [[ $said == *'alpha = rank (2) is assumed'* && $(wc -l <<<"$said") == 1 ]] || complain "an assumed alpha is said as: $said"
  world --seconds 1 --prompt "$DISC" --lora lora.safetensors:0 --out none.y4m >/dev/null 2>&1 || complain 'no video with scale 0'
  world --seconds 1 --prompt "$DISC" --out plain.y4m >/dev/null || complain 'no video'
  world --seconds 1 --prompt "$DISC" --lora lora.safetensors:0.5 --out with.y4m >/dev/null 2>&1 || complain 'no y4m with a LoRA'
  same_frames none.y4m plain.y4m || complain 'a LoRA of scale 0 changes the video'
  same_frames with.y4m plain.y4m && complain 'a LoRA changes nothing'
  expect 0 '"scale":0.5' "$SGF" redo with.mp4 --show --json
  expect 0 'identical' "$SGF" redo with.mp4 --quiet --threads 1
  expect 1 'loras: ' "$SGF" generate --model world-small --quiet --threads 1 --seconds 2 --prompt "$DISC" --out with.mp4 --continue
  mv lora.safetensors moved.safetensors
  expect 1 'name where it is with --lora' "$SGF" redo with.mp4 --quiet --threads 1
  expect 0 'identical' "$SGF" redo with.mp4 --quiet --threads 1 --lora moved.safetensors
  expect 1 'holds another LoRA' "$SGF" redo with.mp4 --quiet --threads 1 --lora large.safetensors
  refused 1 'the LoRA is of another base' --model world-small --prompt "$DISC" --lora large.safetensors --out bad.mp4
  refused 1 'this LoRA does not exist' --model world-small --prompt "$DISC" --lora missing.safetensors --out bad.mp4
  expect 0 'weights changed by' "$SGF" convert "$base" merged.safetensors --lora moved.safetensors:0.5
}

# Small networks get one thread; the number is stored, and used again by redo and --continue.
check_threads() {
  local video=("$SGF" generate --model world-small --quiet --seconds 1) said
  env -u OMP_NUM_THREADS -u MKL_NUM_THREADS "${video[@]}" --out chosen.mp4 >/dev/null || complain 'no video'
  expect 0 'threads: 1' "$SGF" redo chosen.mp4 --show
  "${video[@]}" --threads 2 --out pair.mp4 >/dev/null || complain 'no video on two threads'
  expect 0 'threads: 2' "$SGF" redo pair.mp4 --show
  expect 0 'identical' env -u OMP_NUM_THREADS "$SGF" redo pair.mp4 --quiet --device cpu
  said=$("$SGF" redo pair.mp4 --quiet --threads 1 2>&1)
  [[ $said == *'made with 2 CPU threads; results with 1 may differ'* ]] || complain "redo on other threads said: $said"
  expect 0 'already complete, 18 frames' "${video[@]}" --threads 1 --out pair.mp4 --continue
  start
  until [[ -e grown.mp4.state ]] || ! kill -0 "$PROCESS" 2>/dev/null; do sleep 0.01; done
  end_with TERM
  if [[ -e grown.mp4.state ]]; then
    video=("$SGF" generate --model world-small --quiet "${LONG[@]}" "${GROWN[@]}" --continue)
    expect 0 '"threads":1,' env OMP_NUM_THREADS=2 "${video[@]}" --dry-run --json
    expect 0 'results with 2 may differ' "${video[@]}" --threads 2
  fi
  rm -f grown.*
}

make_wan wan
check_wan
check_windows
check_diffusers
check_loras
check_foreign
check_neighbours
check_edits
check_sinks
check_folders
check_prompts
check_directing
check_bad_input
check_odd_files
check_threads
check_kills
check_signal TERM
check_signal INT
check_no_room
exit "$FAILED"
