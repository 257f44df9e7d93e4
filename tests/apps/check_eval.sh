#!/usr/bin/env bash
# `sgf eval` as its users meet it: protocols, prompts, missing weights, bad input, tables, exchange with VBench.
# usage: check_eval.sh SGF
set -uo pipefail

SGF=$1
# shellcheck source=tests/apps/expect.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/expect.sh"
FOLDER=$(mktemp -d)
trap 'rm -rf -- "$FOLDER"' EXIT
cd -- "$FOLDER" || exit 1
export XDG_CACHE_HOME=$FOLDER/cache HOME=$FOLDER VBENCH_CACHE_DIR=$FOLDER/weights
mkdir weights

# score ARGS…: by flicker, which needs no weights.
score() { "$SGF" eval --quiet --device cpu --metrics temporal_flickering "$@"; }

# has FILE TEXT: the JSON, without its spaces, holds this text.
has() { [[ $(tr -d ' \n' <"$1") == *"$2"* ]] || complain "$1 lacks $2"; }

check_protocols() {
  "$SGF" world render --out w --clips 2 --frames 20 --enlarge 1 >/dev/null 2>&1 || complain 'no clips of the world'
  expect 0 'temporal_flickering' score w --prompts w/manifest.json --scores vbench.json
  has vbench.json '"protocol":"vbench"'
  has vbench.json '"ok":true'
  expect 0 'clips' score w --prompts w/manifest.json --protocol vbench-long --fps 4 --scores long.json
  has long.json '"reencode":true'
  has long.json '"slow_fast":true'
  expect 0 '' score w --prompts w/manifest.json --protocol vbench-long --no-reencode --no-slow-fast --scores plain.json
  has plain.json '"reencode":false'
  has plain.json '"slow_fast":false'
  expect 0 'world_valid' "$SGF" eval w --quiet --protocol world --prompts w/manifest.json --scores world.json
  cp w/clip_00000.mp4 mine.mp4
  expect 1 'is no result of sgf eval, so it is kept' "$SGF" eval w --quiet --protocol world --prompts w/manifest.json --scores mine.mp4
  cmp w/clip_00000.mp4 mine.mp4 || complain 'a video was replaced by scores'
  expect 0 'world_valid' "$SGF" eval w --quiet --protocol world --prompts w/manifest.json --scores world.json
  expect 2 'always computes its own' score w --protocol world --prompts w/manifest.json
  echo '[{"dimension": ["temporal_flickering"]}]' >full_info.json
  expect 1 'has no prompt_en' score w --prompts w/manifest.json --static-filter --static-prompts full_info.json
  [[ $(<world.json) != *flickering* && $(<world.json) != *consistency* ]] || complain 'a proxy has a name of VBench'
}

check_weights() {
  expect 1 'amt-s.pth is missing: looked for' "$SGF" eval w --quiet --prompts w/manifest.json \
    --metrics motion_smoothness,temporal_flickering --scores part.json
  has part.json '"totals":{"temporal_flickering"'
  expect 1 'huggingface.co' "$SGF" eval w --quiet --prompts w/manifest.json --metrics motion_smoothness
  mkdir -p weights/amt_model && echo damaged >weights/amt_model/amt-s.pth
  expect 1 'amt-s.pth' "$SGF" eval w --quiet --prompts w/manifest.json --metrics motion_smoothness
  mkdir -p weights/pyiqa_model && echo damaged >weights/pyiqa_model/musiq_spaq_ckpt-358bb6af.pth
  expect 1 '358bb6af: scores will differ' "$SGF" eval w --prompts w/manifest.json --metrics imaging_quality
}

# The bad ones have a line each, the good one a score.
check_bad_videos() {
  local output name
  mkdir -p bad/one-0 bad/odd-0
  cp w/clip_00000.mp4 bad/good-0.mp4
  : >bad/empty-0.mp4
  head -c 900 w/clip_00000.mp4 >bad/cut-0.mp4
  echo 'no video' >bad/text-0.mp4
  "$SGF" world render --out p --clips 1 --frames 2 --format png >/dev/null 2>&1
  cp p/clip_00000/frame_00000.png bad/one-0/
  output=$(score bad 2>&1)
  (($? == 1)) || complain 'bad videos: exit 0'
  for name in empty-0 cut-0 text-0 one-0; do
    [[ $output == *"sgf: bad/$name"* ]] || complain "bad videos: no line for $name in: $output"
  done
  [[ $output =~ cut-0\.mp4\ +error ]] || complain "bad videos: no row that says error in: $output"
  [[ $output == *'good-0.mp4'* ]] || complain "bad videos: the good one is lost: $output"
  echo '{"other.mp4": "a disc"}' >other.json
  expect 1 'is not in the list of prompts' score bad/good-0.mp4 --prompts other.json
  expect 1 'no such file' score nowhere
  expect 2 'got sharpness' "$SGF" eval w --metrics sharpness
  expect 2 'no videos given; pass a video or a folder of videos' "$SGF" eval
  expect 2 'did you mean' "$SGF" eval w --protocoll vbench
}

# --json is a flag, as everywhere; a file has an option of its own.
check_json() {
  local printed
  printed=$("$SGF" eval w --quiet --protocol world --prompts w/manifest.json --json --scores both.json 2>/dev/null)
  [[ $(wc -l <<<"$printed") == 1 ]] || complain "eval --json printed: $printed"
  python3 -c 'import json, sys; sys.exit(json.loads(sys.argv[1]) != json.load(open("both.json")))' "$printed" ||
    complain 'eval --json prints another result than --scores writes'
  expect 2 'five.json' score w --prompts w/manifest.json --json five.json
  expect 0 'scores of sgf eval' "$SGF" inspect both.json
  expect 1 'cannot write nowhere/five.json: no such folder: nowhere' score w --prompts w/manifest.json --scores nowhere/five.json
  echo '{"scene": [0.5, []]}' >scene.json
  expect 0 '"scene":{"value":0.5}' "$SGF" eval import scene.json --json
}

# Scores that cannot be cached are computed all the same, and that is said, --quiet or not.
check_cache() {
  : >no-folder
  expect 0 'cannot cache scores there' score w --prompts w/manifest.json --cache no-folder/scores
  expect 0 'temporal_flickering' score w --prompts w/manifest.json --cache no-folder/scores
  [[ $(score w --prompts w/manifest.json --cache scores 2>&1) != *'cannot cache'* ]] || complain 'a good cache is complained about'
  expect 0 'temporal_flickering' env -u HOME -u XDG_CACHE_HOME "$SGF" eval w --quiet --device cpu \
    --metrics temporal_flickering --prompts w/manifest.json
}

# Kinds of pictures that a video may have: each gets a score. `rgb` is the control: grey, alpha and depth change the
# pictures, not the way.
check_kinds_of_videos() {
  if ! command -v ffmpeg >/dev/null; then
    echo 'check_eval: no ffmpeg program, so kinds of videos are not tried' >&2
    return
  fi
  local source=testsrc=s=64x48:r=8:d=2 name
  make_video() { ffmpeg -v error -y -f lavfi -i "$source" "$@" || complain "ffmpeg cannot make ${*: -1}"; }
  mkdir -p kinds/grey-0 kinds/rgb-0 kinds/palette-0 'kinds/a name with spaces-0'
  for name in rgb24:rgb gray:grey pal8:palette; do
    make_video -pix_fmt "${name%:*}" "kinds/${name#*:}-0/%03d.png"
  done
  cp kinds/rgb-0/00[1-4].png 'kinds/a name with spaces-0'
  make_video -c:v ffv1 -pix_fmt gray kinds/grey-1.mkv
  make_video -c:v ffv1 -pix_fmt yuv420p10le kinds/tenbit-0.mkv
  make_video -c:v png -pix_fmt rgba kinds/alpha-0.mov
  make_video -c:v ffv1 -pix_fmt yuv444p -vf crop=33:47:exact=1 kinds/odd-0.mkv
  make_video -c:v ffv1 -vf "setpts='if(gt(N,8),N*3-16,N)/8/TB'" -vsync vfr kinds/rates-0.mkv
  make_video -c:v ffv1 'kinds/猫 “quoted”-0.mkv'
  expect 0 '猫 “quoted”-0.mkv' score kinds --scores kinds.json
  [[ $(grep -c '"sha256"' kinds.json) == 10 ]] || complain 'kinds: not ten videos'
  expect 0 '' score kinds/rates-0.mkv --scores rates.json
  has rates.json '"frames":16'
  expect 1 'even sides' score kinds --protocol vbench-long --scores kinds-long.json
  has kinds-long.json '"videos":9'
  expect 0 '' score kinds/odd-0.mkv --protocol vbench-long --no-reencode
}

check_tables() {
  score w --prompts w/manifest.json --init 'TF init' --method SF --horizon 60s --scores sf.json >/dev/null
  score w --prompts w/manifest.json --init 'TF init' --method SGF --horizon 60s --scores sgf.json >/dev/null
  expect 0 'TF init SGF' "$SGF" eval table sf.json sgf.json
  expect 0 '| 60s | Flickering |' "$SGF" eval table sf.json sgf.json --format markdown
  expect 1 '--method' "$SGF" eval table sf.json sf.json
}

check_exchange() {
  expect 0 'evaluate.py' "$SGF" eval export w --prompts w/manifest.json --out e
  [[ -e e/prompts.json && -n $(ls e/videos/*-0.mp4) ]] || complain 'nothing exported'
  expect 0 'temporal_flickering' score e/videos
  echo '{"scene": [0.5, []], "human_action": [0.9, []]}' >vbench_results.json
  expect 0 'are missing' "$SGF" eval import vbench_results.json vbench.json --scores all.json
  has all.json '"scene":{"value":0.5}'
  echo '{"sharpness": [0.5]}' >proxy.json
  expect 1 'is not a dimension of VBench' "$SGF" eval import proxy.json
}

check_protocols
check_json
check_cache
check_weights
check_bad_videos
check_kinds_of_videos
check_tables
check_exchange
exit "$FAILED"
