#!/usr/bin/env bash
# The program as its users meet it: exit codes, what goes to stdout and stderr, pipes, completion.
# usage: check_program.sh SGF DATA, where DATA is tests/data
set -uo pipefail

SGF=$1
DATA=$2
FOLDER=$(mktemp -d)
trap 'rm -rf -- "$FOLDER"' EXIT
FAILED=0

# expect CODE TEXT COMMAND...: the exit code, and a piece of text on either stream.
expect() {
  local code=$1 text=$2 output came
  shift 2
  output=$("$@" 2>&1)
  came=$?
  if [[ $came != "$code" || $output != *"$text"* ]]; then
    echo "FAIL: $*: exit $came, expected $code and '$text', said: $output"
    FAILED=1
  fi
}

# completes EXPECTED WORD...: what bash offers for the last of the words.
completes() {
  local expected=$1
  shift
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
  _sgf
  if [[ ${COMPREPLY[*]} != "$expected" ]]; then
    echo "FAIL: '$*' completes to '${COMPREPLY[*]}', expected '$expected'"
    FAILED=1
  fi
}

check_errors() {
  expect 0 'torch ' "$SGF" --version
  expect 0 'inspect' "$SGF" --help
  expect 2 'required' "$SGF"
  expect 2 "no command 'inspct'; did you mean inspect?" "$SGF" inspct
  expect 2 'did you mean --json?' "$SGF" inspect --jsn x
  expect 2 'names' "$SGF" convert a b.pt --names klingon
  expect 1 'sgf: [core] /nowhere' "$SGF" inspect /nowhere
  expect 1 'posix.system' "$SGF" inspect "$DATA/weights/evil.pt"
}

check_inspect() {
  local lines
  expect 0 'torch zip' "$SGF" inspect "$DATA/weights/nested.pt"
  expect 0 '"non_finite":[]' "$SGF" inspect --scan --json "$DATA/weights/state_dict.pt"
  lines=$("$SGF" inspect --json "$DATA/weights/views.pt" "$DATA/weights/evil.pt" 2>/dev/null | grep -c '^{"')
  [[ $lines == 2 ]] || { echo "FAIL: --json gave $lines lines for 2 files" && FAILED=1; }
}

check_convert() {
  expect 0 'tensors' "$SGF" convert "$DATA/weights/dtypes.safetensors" "$FOLDER/a.pt"
  expect 1 '--force' "$SGF" convert "$DATA/weights/dtypes.safetensors" "$FOLDER/a.pt"
  expect 0 'tensors' "$SGF" convert --force "$DATA/weights/dtypes.safetensors" "$FOLDER/a.pt"
  expect 1 'is the input' "$SGF" convert --force "$FOLDER/a.pt" "$FOLDER/a.pt"
}

check_config() {
  expect 0 'model.dim' "$SGF" config --keys
  expect 0 'dim: 192' "$SGF" config tiny --set model.dim=192 --resolved
  expect 1 'model.dim' "$SGF" config tiny --set model.dmi=192
  "$SGF" config tiny --resolved >"$FOLDER/once.yaml" && "$SGF" config "$FOLDER/once.yaml" --resolved >"$FOLDER/twice.yaml"
  cmp -s "$FOLDER/once.yaml" "$FOLDER/twice.yaml" || { echo "FAIL: the resolved config changes" && FAILED=1; }
}

check_plan() {
  expect 0 'peak, in:' "$SGF" plan wan-1.3b-chunkwise
  expect 0 'fits: ' "$SGF" plan world-small --memory 24
  expect 1 'smallest change that does: --set train.micro_batch=' "$SGF" plan wan-1.3b-chunkwise --gpus 8 --memory 80 \
    --set train.micro_batch=4
  expect 0 '"step_seconds":null' "$SGF" plan world-tiny --json
  expect 1 'every GPU wants a sample' "$SGF" plan world-tiny --gpus 3
  expect 1 'model.dim' "$SGF" plan tiny --set model.dmi=1
}

check_diagnose() {
  local small=(world-tiny --device cpu --dtype float64 --set video.frames=6 --set train.micro_batch=1)
  expect 0 'random weights of seed 1' "$SGF" diagnose recovery "${small[@]}" --noises 1 --save-record "$FOLDER/records"
  expect 0 'text as it was saved' "$SGF" diagnose recovery "${small[@]}" --replay "$FOLDER/records/exit2_noise0.safetensors"
  expect 1 'DO NOT MATCH' "$SGF" diagnose recovery "${small[@]}" --set run.seed=7 \
    --replay "$FOLDER/records/exit2_noise0.safetensors"
  expect 0 '"method":"bptt","outcome":"ran"' "$SGF" diagnose feasibility "${small[@]}" --json --methods sgf,bptt --exit 2
  expect 1 "method 'btpp' is unknown" "$SGF" diagnose feasibility "${small[@]}" --methods btpp
  expect 1 '--exit lies in 1..4, got 5' "$SGF" diagnose feasibility "${small[@]}" --exit 5
  expect 1 'sgf: [core] /nowhere' "$SGF" diagnose recovery "${small[@]}" --replay /nowhere
  expect 2 'Try sgf diagnose recovery --help' "$SGF" diagnose recovery --nois 2
}

# Whoever stops reading gets no complaint; whoever cannot be written to does.
check_pipes() {
  local said
  said=$({ "$SGF" config --keys | head -n 1 >/dev/null; } 2>&1)
  [[ -z $said ]] || { echo "FAIL: a closed pipe made it say: $said" && FAILED=1; }
  [[ $("$SGF" config --keys) != *$'\x1b'* ]] || { echo "FAIL: colours in a pipe" && FAILED=1; }
  # shellcheck disable=SC2016 # the inner shell expands it
  [[ ! -w /dev/full ]] || expect 1 'could not be written' bash -c '"$0" config --keys >/dev/full' "$SGF"
}

check_completion() {
  "$SGF" completion bash >"$FOLDER/sgf.bash"
  # shellcheck source=/dev/null
  source "$FOLDER/sgf.bash"
  completes 'inspect' sgf insp
  completes '--keys' sgf inspect --ke
  completes 'wan diffusers keep' sgf convert --names ''
  completes 'bash zsh' sgf completion ''
  completes 'recovery feasibility' sgf diagnose ''
  completes '' sgf convert ''
  "$SGF" completion zsh >"$FOLDER/_sgf"
  ! command -v zsh >/dev/null || expect 0 '' zsh -n "$FOLDER/_sgf"
}

check_errors
check_inspect
check_convert
check_config
check_plan
check_diagnose
check_pipes
check_completion
exit "$FAILED"
