# Speaking, failing, timing and locking, for every part of ./run.
# shellcheck shell=bash

say() { printf '%s\n' "$*" >&2; }

# die CODE MESSAGE…: 1 something failed, 2 wrong usage, 3 the user must install something.
die() {
  local code=$1
  shift
  say "run: $*"
  exit "$code"
}

refuse_arguments() {
  local word=$1
  shift
  (($# == 0)) || die 2 "$word takes no arguments, got '$*'"
}

# step TITLE COMMAND…: a heading, the command, and how long it took.
step() {
  local began=$SECONDS
  STEP=$1 # for the verdict, should it fail
  shift
  say "==> $STEP"
  "$@"
  say "==> $STEP: done in $((SECONDS - began)) s"
}

# with_lock COMMAND…: one set-up or build at a time in this tree; a second call waits for the first.
with_lock() {
  mkdir -p "$STATE"
  exec 9>"$STATE/lock"
  if ! flock -n 9; then
    say "run: waiting for another ./run in this tree"
    flock 9
  fi
  "$@"
  exec 9>&-
}

remembered() { [[ -f $STATE/$1 ]] && cat "$STATE/$1"; }

# remember NAME VALUE: written beside and renamed, so that an interrupted call leaves no half a value.
remember() {
  printf '%s\n' "$2" >"$STATE/$1.tmp"
  mv "$STATE/$1.tmp" "$STATE/$1"
}

short_hash() { sha256sum | cut -c1-16; }

# The closing line of ./run test, whatever way it ended. A signal leaves the exit code of the command before it, so
# only what came to its end has passed.
say_verdict() {
  if [[ -n ${ALL_STEPS_DONE-} ]]; then
    echo "./run test: passed in $SECONDS s"
  elif (($1 == 0)); then
    echo "./run test: STOPPED in '${STEP:-set-up}', nothing is known of the rest"
  else
    echo "./run test: FAILED in '${STEP:-set-up}' (exit $1)"
  fi
}
