# Set-up: remembered choices, completed steps, and the remaining ones.
# shellcheck shell=bash

# Options of ./run setup, remembered for later calls.
parse_setup_options() {
  mkdir -p "$STATE"
  while (($#)); do
    case "$1" in
      --cpu | --cuda) remember flavour "${1#--}" ;;
      --torch | --torch=*)
        if [[ $1 == --torch ]]; then shift; fi # the folder is the next word, or the rest of this one
        remember_torch "${1-}"
        ;;
      *) die 2 "unknown option '$1' of setup; ./run help lists all options" ;;
    esac
    shift
  done
}

remember_torch() {
  local named=${1#--torch=} dir=''
  [[ -n $named ]] || die 2 "--torch needs a folder or the word pip"
  if [[ $named != pip ]]; then
    dir=$(find_torch "$named")
    check_torch_version "$dir"
  fi
  remember torch "$dir"
}

# Sets NAMED_TORCH (empty: the project's own) and FLAVOUR (cpu or cuda).
resolve_choice() {
  NAMED_TORCH=$(remembered torch || true)
  if [[ -n ${SGF_TORCH-} ]]; then NAMED_TORCH=$(find_torch "$SGF_TORCH"); fi
  [[ -z $NAMED_TORCH ]] || check_torch_version "$NAMED_TORCH"
  FLAVOUR=$(remembered flavour || default_flavour)
  [[ $FLAVOUR == cpu || -z $NAMED_TORCH || -f $NAMED_TORCH/lib/libtorch_cuda.so ]] ||
    die 2 "the torch at '$NAMED_TORCH' has no CUDA; choose the CPU build with ./run setup --cpu"
}

default_flavour() {
  if has_gpu && [[ -z $NAMED_TORCH || -f $NAMED_TORCH/lib/libtorch_cuda.so ]]; then echo cuda; else echo cpu; fi
}

# Everything that set-up depends on is part of the key: a change starts set-up again.
setup_key() {
  {
    grep -hE '^(ID|VERSION_ID)=' /etc/os-release 2>/dev/null || true
    list_packages "$@"
    printf '%s\n' "$ROOT" "$FLAVOUR" "$NAMED_TORCH" "${REQUIRED[@]}" "${WELCOME[@]}"
    if needs_venv; then list_wheels; fi
  } | short_hash
}

# set_up WANT…: silent if nothing has to be done.
set_up() {
  local want
  resolve_choice
  for want in "$@"; do
    if ! is_done "$want"; then
      set_up_anew "$@"
      return
    fi
  done
}

# Checks everything again, but installs only what is missing.
set_up_anew() {
  local want
  resolve_choice
  step "set-up ($FLAVOUR)" prepare "$@"
  for want in "$@"; do remember "done-$want-$FLAVOUR" "$(setup_key "$want")"; done
}

is_done() {
  [[ $(remembered "done-$1-$FLAVOUR" || true) == "$(setup_key "$1")" ]] || return
  [[ $1 != checks ]] || has_tensorboard || return
  [[ $1 != build || -f $(torch_dir)/lib/libtorch_cpu.so ]]
}

prepare() {
  ensure_packages "$@"
  if [[ " $* " == *' checks '* ]]; then ensure_tensorboard; fi
  [[ " $* " == *' build '* ]] || return 0
  if needs_venv; then fill_venv; fi
  if [[ $FLAVOUR == cuda ]]; then remember gpu-architecture "$(gpu_architecture)"; fi
}
