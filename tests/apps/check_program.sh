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

check_world() {
  local caption='a fast red disc on a grey field' lines format=mp4
  "$SGF" --version | grep -q '^no FFmpeg' && format=png
  expect 0 '3 clips of 24 frames' "$SGF" world render --clips 3 --frames 24 --seed 2 --format "$format" \
    --out "$FOLDER/clips" --strip "$FOLDER/strip.png"
  [[ -s $FOLDER/strip.png && $(wc -l <"$FOLDER/clips/captions.txt") == 3 ]] || { echo 'FAIL: no strip or captions' && FAILED=1; }
  expect 1 'is not empty' "$SGF" world render --clips 1 --frames 2 --out "$FOLDER/clips"
  expect 0 'mean of 3 videos' "$SGF" world measure --manifest "$FOLDER/clips/manifest.json"
  lines=$("$SGF" world measure --manifest "$FOLDER/clips/manifest.json" --segments 2 --json | grep -c '"truth"')
  [[ $lines == 4 ]] || { echo "FAIL: --json gave $lines lines for 3 videos and their mean" && FAILED=1; }
  expect 0 'true clips' "$SGF" world measure "$FOLDER/clips"/clip_00000* --prompt "$caption"
  expect 0 'A frame is valid if' "$SGF" world measure --help
  expect 2 '--prompt TEXT or --manifest' "$SGF" world measure "$FOLDER/clips"/clip_00000*
  expect 1 "no word 'rde'; did you mean red?" "$SGF" world measure "$FOLDER/clips"/clip_00000* --prompt "${caption/red/rde}"
  expect 1 'world-tiny has this size' "$SGF" world measure "$FOLDER/clips"/clip_00000* \
    --preset world-small --prompt 'a fast red disc and a slow blue square on a grey field'
  expect 1 'names 1' "$SGF" world render --preset world-small --prompt "$caption" --out "$FOLDER/other"
  [[ ! -e $FOLDER/other ]] || { echo 'FAIL: a refused caption left a folder' && FAILED=1; }
  expect 1 'no video file' "$SGF" world measure "$FOLDER/clips/captions.txt" --prompt "$caption"
  expect 2 "no command 'mesure'; did you mean measure?" "$SGF" world mesure
  expect 2 'did you mean --frames?' "$SGF" world render --out "$FOLDER/other" --frame 3
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
  completes '' sgf convert ''
  completes 'render measure' sgf world ''
  completes '--manifest' sgf world measure --man
  completes 'world-tiny world-small' sgf world render --preset ''
  "$SGF" completion zsh >"$FOLDER/_sgf"
  ! command -v zsh >/dev/null || expect 0 '' zsh -n "$FOLDER/_sgf"
}

check_errors
check_inspect
check_convert
check_config
check_world
check_pipes
check_completion
exit "$FAILED"
