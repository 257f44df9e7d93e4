#!/usr/bin/env bash
# `sgf compare`, `sgf compare score` and `sgf strips` as their users meet them; the page in a browser, if there is one.
# usage: check_compare.sh SGF [SHOTS], where SHOTS is a folder for screenshots of the page
set -uo pipefail

SGF=$1
SHOTS=${2:+$(realpath -- "$2")}
HERE=$(realpath -- "$(dirname -- "${BASH_SOURCE[0]}")")

# shellcheck source=tests/apps/expect.sh
source "$HERE/expect.sh"
FOLDER=$(mktemp -d)
trap 'rm -rf -- "$FOLDER"' EXIT
cd -- "$FOLDER" || exit 1

if [[ $("$SGF" --version) != *FFmpeg* ]]; then
  echo 'sgf compare: skipped, this build reads and writes no video files'
  exit 0
fi

# Ten clips a method, of the same names; the second method's are of another seed.
make_videos() {
  local method seed
  for method in method-ours method-theirs; do
    [[ $method == method-ours ]] && seed=1 || seed=2
    "$SGF" world render --out "$method" --clips 10 --frames 24 --seed "$seed" --enlarge 8 >/dev/null ||
      complain "no clips of $method"
  done
}

check_pages() {
  local copies both=(method-ours method-theirs --names Method-Ours Method-Theirs)
  expect 0 '10 pairs' "$SGF" compare "${both[@]}" --seed 7 --out page.html
  expect 0 '10 pairs' "$SGF" compare "${both[@]}" --seed 7 --out page.html
  expect 1 'key of another study' "$SGF" compare method-ours method-theirs --seed 8 --out page.html
  grep -qi method- page.html && complain 'the page names a method'
  cp page.html first.html
  "$SGF" compare "${both[@]}" --seed 7 --out page.html >/dev/null
  cmp -s first.html page.html || complain 'a seed does not make the same page again'
  expect 0 'which raters need too' "$SGF" compare method-ours method-theirs --embed-mb 0 --seed 9 --out apart.html
  copies=(videos-*/*)
  ((${#copies[@]} == 20)) || complain "${#copies[@]} videos beside the page, not 20"
  [[ ${copies[*]} == *method* || ${copies[*]} == *clip* ]] && complain "a copy is named after its source: ${copies[*]}"
  mkdir short empty
  cp method-ours/*3.mp4 method-ours/*4.mp4 short
  expect 0 'has no partner' "$SGF" compare short method-theirs --out short.html
  : >short/broken.mp4
  expect 1 'broken.mp4 is empty' "$SGF" compare short method-theirs --out broken.html
  expect 1 'holds no mp4' "$SGF" compare method-ours empty
  expect 1 'is not a folder' "$SGF" compare method-ours nowhere
  expect 2 'B_DIR is missing; pass two folders of videos' "$SGF" compare method-ours
  expect 2 'did you mean --names?' "$SGF" compare method-ours method-theirs --name A B
}

# The words that generate writes into a video are in none of its copies.
check_words() {
  local prompt='a fast red disc and a slow green square on a grey field'
  mkdir noted others
  "$SGF" generate --model world-small --prompt "$prompt" --seed 5 --seconds 0.5 --quiet --threads 1 --out noted/x.mp4 \
    >/dev/null || complain 'no noted video'
  "$SGF" generate --model world-small --prompt "$prompt" --seed 5 --seconds 0.5 --quiet --threads 1 --crf 30 \
    --out others/y.mp4 >/dev/null || complain 'no second noted video'
  expect 0 '1 pairs' "$SGF" compare noted others --embed-mb 0 --out noted.html
  grep -qa world-small noted/x.mp4 || complain 'the video does not note its model: nothing to forget'
  grep -qa world-small videos-*/0001-*.mp4 && complain 'a copy says what made it'
  grep -q "$prompt" noted.html || complain 'the page does not show the prompt'
}

check_strips() {
  local ours=method-ours/clip_00000.mp4 theirs=method-theirs/clip_00000.mp4
  expect 0 '2 rows, 3 times' "$SGF" strips "$ours" "$theirs" --rows Ours Theirs --times 0,0.5,1 --out strip.png
  expect 0 'Ours has no frame at 60 s, it ends at' "$SGF" strips "$ours" --rows Ours --times 0,60 --out strip.png
  expect 0 "'熊猫': only ASCII letters can be drawn, others become boxes" \
    "$SGF" strips "$ours" --rows 熊猫 --times 0 --out strip.png
  [[ $("$SGF" strips "$ours" --rows panda --times 0 --out strip.png 2>&1) != *ASCII* ]] || complain 'drawable names are said not to be'
  expect 0 '1 row, 4 times' "$SGF" strips "$ours" --columns 4 --out strip.png
  "$SGF" world render --out folders --clips 1 --frames 9 --format png >/dev/null
  expect 0 '1 row, 6 times' "$SGF" strips folders/*/ --out strip.png
  expect 2 'got 1 name for 2 videos' "$SGF" strips "$ours" "$theirs" --rows Ours --out strip.png
  expect 2 'cannot be combined with' "$SGF" strips "$ours" --times 0,1 --columns 3 --out strip.png
  expect 2 'must be the name of a .png file' "$SGF" strips "$ours" --times 0 --out "$ours"
  expect 1 'too large' "$SGF" strips "$ours" --columns 1000 --out large.png
  [[ ! -e large.png ]] || complain 'a refused figure was written'
}

make_videos
check_pages
check_strips
check_words
python3 "$HERE/check_compare.py" "$SGF" "$FOLDER" "${SHOTS:-}" || FAILED=1
exit "$FAILED"
