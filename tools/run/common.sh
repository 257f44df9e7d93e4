# Messages, errors, timing and locking, for every part of ./run.
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

# step TITLE COMMAND…: prints a title, runs the command, prints how long it took.
step() {
  local began=$SECONDS
  STEP=$1 # for the verdict, if it fails
  shift
  say "==> $STEP"
  "$@"
  say "==> $STEP: done in $((SECONDS - began)) s"
}

# with_lock COMMAND…: one set-up or build at a time in this tree; a second call waits.
with_lock() {
  mkdir -p "$STATE"
  exec 9>"$STATE/lock"
  if ! flock -n 9; then
    say "run: waiting for another ./run in this folder"
    flock 9
  fi
  "$@"
  exec 9>&-
}

remembered() { [[ -f $STATE/$1 ]] && cat "$STATE/$1"; }

# remember NAME VALUE: written to a temporary file and renamed, so that an interrupted call leaves no partial value.
remember() {
  printf '%s\n' "$2" >"$STATE/$1.tmp"
  mv "$STATE/$1.tmp" "$STATE/$1"
}

short_hash() { sha256sum | cut -c1-16; }

# The last line of ./run test. A signal leaves the exit code of the command before it, so only a run that reached its
# end has passed.
say_verdict() {
  if [[ -n ${ALL_STEPS_DONE-} ]]; then
    echo "./run test: passed in $SECONDS s"
  elif (($1 == 0)); then
    echo "./run test: STOPPED in '${STEP:-set-up}', later steps did not run"
  else
    echo "./run test: FAILED in '${STEP:-set-up}' (exit $1)"
  fi
}
