#!/usr/bin/env bash
# `sgf demo` end to end at toy size: the page plays videos, shows both arms and all contestants, and names commands that
# work.
# usage: check_demo.sh SGF SOURCES
set -uo pipefail

SGF=$1
SOURCES=$2
HERE=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
# shellcheck source=tests/apps/expect.sh
source "$HERE/expect.sh"
FOLDER=$(mktemp -d)
trap 'rm -rf -- "$FOLDER"' EXIT
cd "$FOLDER" || exit 1
export OMP_NUM_THREADS=1 # threads that wait for each other on a busy machine take minutes

# Two models for SF and SGF: one alone gives the same videos byte for byte, which sgf compare leaves out.
mkdir models
ln -s "$SOURCES"/models/world-small/{teacher,student,sf,sgf} models

SMALL=(--set train.steps=3 --set dmd.generator_every=2 --set dmd.critic_only_steps=0
  --set video.frames=6)

# shellcheck disable=SC2317 # called by expect
demo() { "$SGF" demo "${SMALL[@]}" "$@"; }

check_refusals() {
  mkdir without && ln -s ../models/teacher ../models/student ../models/sf without
  expect 1 'without/sgf: holds no model' demo --models without --frames 12
  expect 1 '--models names a folder with teacher, student, sf and sgf' demo --models without --frames 12
  expect 1 'a multiple of the trained length, 6 latent frames, got 13; the next is 18' demo --models models --frames 13
  mkdir mine && echo 'a run of mine' >mine/self_forcing
  expect 1 'mine contains files that are not from sgf demo' demo --models models --frames 12 --out mine
  [[ $(cat mine/self_forcing) == 'a run of mine' ]] || complain 'a folder that is no demo was changed'
  expect 1 "no/where: cannot create the demo's folder" demo --models models --frames 12 --out /proc/no/where
  : >file
  expect 1 "file/demo: cannot create the demo's folder" demo --models models --frames 12 --out file/demo
  expect 1 'file is not a folder; choose another with --out' demo --models models --frames 12 --out file
  expect 2 '--out is empty; name a folder' demo --models models --out ''
  [[ ! -e demo ]] || complain 'a demo that was refused left a folder'
}

check_run() {
  expect 0 '1 of 4' demo --models models --frames 6 --prompts 1
  echo 'keep me' >demo/notes.txt
  expect 0 'Open in a browser' demo --models models --frames 12 --prompts 5
  [[ -e demo/notes.txt ]] || complain 'a second demo took away a file that it did not make'
  python3 "$HERE/check_demo.py" demo/demo.html || FAILED=1
}

# Each as it stands on the page, but shorter.
check_commands() {
  local line
  mapfile -t LINES_TO_TRY < <(python3 "$HERE/check_demo.py" demo/demo.html --commands)
  [[ ${#LINES_TO_TRY[@]} -ge 4 ]] || complain "commands on the page: ${LINES_TO_TRY[*]}"
  for line in "${LINES_TO_TRY[@]}"; do
    [[ $line == 'sgf '* ]] || complain "a command of the page is not spelled sgf: $line"
    line="\"\$SGF\" ${line#sgf }"
    line=$(sed -E 's/--seconds [0-9]+/--seconds 1/; s/train.steps=[0-9]+/train.steps=4/' <<<"$line")
    eval "$line" >log 2>&1 || complain "a command of the page: $line: $(tail -3 log)"
  done
}

check_refusals
check_run
check_commands
exit "$FAILED"
