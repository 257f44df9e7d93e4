# The Python side of `./run bench --reference`: torch with its whole package set, in an environment of its own.
# shellcheck shell=bash

REFERENCE_WHEELS=("torch==$TORCH_VERSION" numpy safetensors)

reference_venv() { echo "$ROOT/.venv-reference"; }

# Silent where it is complete; one whose filling was interrupted is made anew.
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
  "$python" -m venv "$venv" >&2 || die 1 "could not make $venv"
  "$venv/bin/python" -m pip install --no-input --disable-pip-version-check "${REFERENCE_WHEELS[@]}" </dev/null >&2 ||
    die 1 "pip could not install eager PyTorch; the rest of ./run does not need it"
  echo "$1" >"$venv/.complete"
}
