# TensorBoard's own reader, for the test of our event files, in a separate virtual environment.
# shellcheck shell=bash

TENSORBOARD_WHEELS=('tensorboard==2.20.0' 'setuptools<81')

tensorboard_python() { echo "$ROOT/.venv-checks/bin/python"; }

has_tensorboard() {
  [[ $(cat "$ROOT/.venv-checks/.complete" 2>/dev/null) == "${TENSORBOARD_WHEELS[*]}" ]]
}

# Without it that one test is skipped with a message.
ensure_tensorboard() {
  has_tensorboard && return
  (fill_checks_venv) || say "run: TensorBoard could not be installed: event files are checked with our own reader only"
}

fill_checks_venv() {
  local venv=$ROOT/.venv-checks python
  python=$(find_python) || return
  rm -rf -- "$venv"
  "$python" -m venv "$venv" >&2 || return
  "$venv/bin/python" -m pip install --no-input --disable-pip-version-check "${TENSORBOARD_WHEELS[@]}" </dev/null >&2 ||
    return
  echo "${TENSORBOARD_WHEELS[*]}" >"$venv/.complete"
}
