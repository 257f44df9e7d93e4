# The Python side of `./run bench --reference`: torch with all its packages, in a separate virtual environment.
# shellcheck shell=bash

REFERENCE_WHEELS=("torch==$TORCH_VERSION" numpy safetensors)

reference_venv() { echo "$ROOT/.venv-reference"; }

# Silent if it is complete; an interrupted installation is made again.
ready_reference() {
  local venv key
  venv=$(reference_venv)
  key=$(printf '%s\n' "$ROOT" "${REFERENCE_WHEELS[@]}" | short_hash)
  [[ $(cat "$venv/.complete" 2>/dev/null) == "$key" ]] || step "eager PyTorch for the reference" fill_reference "$key"
}

fill_reference() {
  local venv python
  venv=$(reference_venv)
  python=$(find_python)
  rm -rf -- "$venv"
  "$python" -m venv "$venv" >&2 || die 1 "could not create $venv"
  "$venv/bin/python" -m pip install --no-input --disable-pip-version-check "${REFERENCE_WHEELS[@]}" </dev/null >&2 ||
    die 1 "pip could not install PyTorch for the comparison; other words of ./run do not need it"
  echo "$1" >"$venv/.complete"
}
