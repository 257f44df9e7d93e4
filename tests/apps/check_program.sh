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
  expect 2 'a command is missing' "$SGF"
  expect 2 "no command 'inspct'; did you mean inspect?" "$SGF" inspct
  expect 2 'unknown option --jsn; did you mean --json?' "$SGF" inspect --jsn x
  expect 2 'unknown option --jsn' "$SGF" --jsn
  expect 2 'unexpected argument two' "$SGF" config one two
  expect 2 '--threads must be 1 to 1024, got 0' "$SGF" train world-tiny --threads 0
  expect 2 '--seconds takes one value, got 2' "$SGF" generate --model world-small --seconds 1 --seconds 2
  expect 2 '--guidance must be 0 or more, got -2' "$SGF" generate --model world-small --guidance -2
  expect 2 'at least one word' "$SGF" generate --model world-small --prompt $'\u00a0'
  expect 2 '--keys lists defaults and cannot be combined with CONFIG' "$SGF" config world-tiny --keys frames
  expect 1 '"valid":false' "$SGF" config tiny --set model.dmi=192 --json
  expect 1 'is a study; run sgf study' "$SGF" recipe run world-small-longer --dry-run
  expect 1 'has its own text encoder and VAE; remove --wan' "$SGF" generate --model world-small --wan nope
  expect 1 'nope: no such folder' "$SGF" generate --wan nope --prompt x
  expect 2 'CONFIG is missing' "$SGF" train
  expect 2 'only --keys and --schema work without one' "$SGF" config --resolved
  expect 2 '--out needs a value' "$SGF" train world-tiny --out
  expect 2 'names' "$SGF" convert a b.pt --names klingon
  expect 2 '--count must be above 0, got 0' "$SGF" sample --model x --out y --count 0
  expect 2 '--count' timeout 60 "$SGF" sample --model x --out y --count 9223372036854775807
  expect 1 'pixels in all' timeout 60 "$SGF" world render --out "$FOLDER/endless" --frames 9223372036854775807
  expect 2 '--guidance must be 0 or more, got nan' "$SGF" sample --model x --out y --guidance nan
  expect 1 'sgf: /nowhere' "$SGF" inspect /nowhere
  expect 1 'posix.system' "$SGF" inspect "$DATA/weights/evil.pt"
  for device in gpu cpu:7 cuda: cuda:x mps; do
    expect 2 "--device must be auto, cpu or cuda, got '$device'" "$SGF" verify --device "$device" x
  done
  check_numbered_device
  expect 2 'nap' "$SGF" bench nap
  expect 2 'PATH... is missing' "$SGF" inspect
  expect 2 'Try sgf --help.' "$SGF" help nap
  expect 2 '--keys cannot be combined with --schema; pass one of them' "$SGF" config --keys --schema
  expect 2 '--at needs 2 values: TIME PROMPT' "$SGF" generate --at 0:20
  expect 2 '--size must be WIDTHxHEIGHT' "$SGF" generate --model world-small --size 50
  expect 2 '--seconds must be above 0, got 0' "$SGF" generate --model world-small --seconds 0
  expect 2 '--shard must be INDEX/WORKERS' "$SGF" pairs tiny --teacher x --count 1 --shard x
  expect 2 '--lora must be FILE or FILE:SCALE' "$SGF" generate --lora x.pt:y
}

# Outputs that cannot be written and inputs that are not there are named before any work.
check_impossible_places() {
  : >"$FOLDER/plain-file"
  expect 1 'expected a folder, but this is a file' "$SGF" sample --model "$DATA/../../models/world-small/teacher" \
    --steps 1 --count 1 --out "$FOLDER/plain-file/samples"
  expect 1 'expected a folder, but this is a file' "$SGF" eval "$FOLDER" --scores "$FOLDER/plain-file/scores.json"
  expect 2 'must be the name of a .png file' "$SGF" strips "$FOLDER/none.mp4" --out "$FOLDER/strip.jpg"
  expect 2 'must be the name of a .safetensors file' "$SGF" vae encode "$FOLDER/none.mp4" --vae none.pth --out "$FOLDER/latents.pt"
  expect 1 'no such file or folder' "$SGF" world measure "$FOLDER/none.mp4"
}

# One rule for all commands: a GPU of several is chosen by the environment.
check_numbered_device() {
  local words
  for words in 'verify x' 'train tiny' 'generate' 'redo x.mp4' 'study x' 'eval x' 'diagnose recovery tiny' 'text x'; do
    # shellcheck disable=SC2086 # two words
    expect 2 "--device must be auto, cpu or cuda, got 'cuda:1'; CUDA_VISIBLE_DEVICES=1 selects that GPU" \
      "$SGF" $words --device cuda:1
  done
}

# below WORD...: the commands below a command, as its help lists them.
below() {
  "$SGF" "$@" --help | awk '/^[A-Z].*:$/ { lists = !/^(Arguments|Options|Examples?):$/ } lists && /^  [a-z]/ { print $1 }'
}

# check_page WORD...: the help of a command and of all below it has an example, fits, and is found by `sgf help` too.
check_page() {
  local page longest word
  page=$("$SGF" "$@" --help)
  PAGES=$((PAGES + 1))
  [[ $page == *Example*:*$'\n  '*"sgf${*:+ }$*"* ]] || { echo "FAIL: no example in sgf $* --help" && FAILED=1; }
  longest=$(awk '{ if (length($0) > most) most = length($0) } END { print most }' <<<"$page")
  ((longest <= 80)) || { echo "FAIL: sgf $* --help has a line of $longest columns" && FAILED=1; }
  [[ $("$SGF" help "$@") == "$page" ]] || { echo "FAIL: sgf help $* differs from sgf $* --help" && FAILED=1; }
  for word in $(below "$@"); do check_page "$@" "$word"; done
}

check_help() {
  PAGES=0
  check_page
  ((PAGES >= 35)) || { echo "FAIL: the help of $PAGES commands was found, not of all" && FAILED=1; }
  expect 0 $'Make videos:\n  generate ' "$SGF" --help
  expect 0 $'Measure:\n  eval ' "$SGF" help
  expect 0 '(0 to 51; default 16)' "$SGF" generate --help
  expect 0 '--lora FILE[:SCALE] ' "$SGF" generate --help
  expect 0 '(not with PROMPT)' "$SGF" text --help
  expect 0 'Usage: sgf compare [OPTIONS] [A_DIR] [B_DIR] [COMMAND]' "$SGF" compare --help
  [[ $("$SGF" -V) == "$("$SGF" --version)" ]] || { echo 'FAIL: -V differs from --version' && FAILED=1; }
  expect 2 "no command 'wrold'; did you mean world?" "$SGF" help wrold
  expect 2 "no command 'rendr'; did you mean render?" "$SGF" help world rendr
  "$SGF" help --man >"$FOLDER/sgf.1"
  grep -q '^.SS "sgf world render"$' "$FOLDER/sgf.1" || { echo 'FAIL: the manual lacks a command' && FAILED=1; }
  ! command -v groff >/dev/null || [[ -z $(groff -ww -man -Tutf8 "$FOLDER/sgf.1" 2>&1 >/dev/null) ]] ||
    { echo 'FAIL: groff complains of the manual' && FAILED=1; }
  ! command -v mandoc >/dev/null || expect 0 '' mandoc -T lint -W error "$FOLDER/sgf.1"
}

# An option whose value was forgotten does not take the next option for it; with = it can be meant.
check_missing_values() {
  expect 2 "--out needs a value, got '--quiet'" "$SGF" generate --model world-small --out --quiet
  expect 2 "--frames needs a value, got '--clips'" "$SGF" world render --frames --clips 3 --out "$FOLDER/no-clips"
  expect 2 'as --set=--json' "$SGF" config tiny --set --json
  expect 2 "--set must be KEY=VALUE, for example model.dim=96, got '--json'" "$SGF" config tiny --set=--json
  expect 2 "got '=3'" "$SGF" config tiny --set '=3'
  expect 2 "--at needs a value, got '--seconds'" "$SGF" generate --prompt a --at 0:20 --seconds 5
  [[ ! -e --quiet && ! -e $FOLDER/no-clips ]] || { echo 'FAIL: a forgotten value wrote a file' && FAILED=1; }
}

# A pipe that nobody writes to is refused, not waited for.
check_fifo() {
  mkfifo "$FOLDER/fifo.pt"
  expect 1 'is a pipe' timeout 60 "$SGF" inspect "$FOLDER/fifo.pt"
  expect 1 'is a pipe' timeout 60 "$SGF" convert "$FOLDER/fifo.pt" "$FOLDER/fifo.safetensors"
  mkfifo "$FOLDER/fifo.yaml"
  expect 1 'is a pipe' timeout 60 "$SGF" config "$FOLDER/fifo.yaml"
  expect 1 'is a pipe' timeout 60 "$SGF" study "$FOLDER/fifo.yaml" --out "$FOLDER/fifo-study"
  expect 1 'is a pipe' timeout 60 "$SGF" train "$FOLDER/fifo.yaml" --out "$FOLDER/fifo-run"
  expect 1 'is a pipe' timeout 60 "$SGF" bench attention --device cpu --frames 3 --height 8 --width 8 --compare "$FOLDER/fifo.pt"
  expect 1 'is a folder' timeout 60 "$SGF" bench attention --device cpu --frames 3 --height 8 --width 8 --compare "$FOLDER"
}

# The last bytes of this recording are an expected output: all ones make it a negative NaN.
check_nan() {
  cp -- "$DATA/reference/schedule_a.safetensors" "$FOLDER/nan.safetensors"
  local size
  size=$(stat -c %s "$FOLDER/nan.safetensors")
  printf '\xff\xff\xff\xff\xff\xff\xff\xff' |
    dd of="$FOLDER/nan.safetensors" bs=1 seek=$((size - 8)) conv=notrunc status=none
  expect 1 ' nan ' "$SGF" verify "$FOLDER/nan.safetensors"
  [[ $("$SGF" verify "$FOLDER/nan.safetensors") != *-nan* ]] || { echo "FAIL: -nan in a table" && FAILED=1; }
}

check_inspect() {
  local lines
  expect 0 'torch zip' "$SGF" inspect "$DATA/weights/nested.pt"
  cp "$DATA/text/tiny_unigram.model" "$FOLDER/spiece.model"
  expect 0 'tokenizer of the text encoder' "$SGF" inspect "$FOLDER/spiece.model"
  head -c 40 "$DATA/text/tiny_unigram.model" >"$FOLDER/spiece.model"
  expect 1 'problem' "$SGF" inspect "$FOLDER/spiece.model"
  expect 0 '"non_finite":[]' "$SGF" inspect --scan --json "$DATA/weights/state_dict.pt"
  lines=$("$SGF" inspect --json "$DATA/weights/views.pt" "$DATA/weights/evil.pt" 2>/dev/null | grep -c '^{"')
  [[ $lines == 2 ]] || { echo "FAIL: --json gave $lines lines for 2 files" && FAILED=1; }
  expect 0 'one shard of 2' "$SGF" inspect "$DATA/weights/sharded/model-00001-of-00002.safetensors"
  expect 0 '2 shards' "$SGF" inspect "$DATA/weights/sharded/model.safetensors.index.json"
  local header='{"__metadata__":{"sgf.format_version":"7"}}     '
  local newer=$FOLDER/a-folder-whose-name-is-long-enough-to-push-the-numbers-out-of-a-line-that-is-cut/newer.safetensors
  mkdir "${newer%/*}"
  printf '\x30\0\0\0\0\0\0\0%s' "$header" >"$newer"
  expect 1 'has checkpoint format 7, but this program reads formats up to 1' "$SGF" inspect "$newer"
  expect 1 '"readable":false' "$SGF" inspect --json "$newer"
}

# A diffusers pipeline: each network in a folder of its own, and folders without weights.
check_text() {
  local tiny=(--tokenizer "$DATA/text/tiny_unigram.model" --encoder "$DATA/text/tiny_umt5.pth" --cache "$FOLDER/prompts")
  expect 0 'UMT5 encoder: dim 32' "$SGF" inspect "$DATA/text/tiny_umt5.pth"
  expect 0 'cleaned    "a" é' "$SGF" text ' “a”  Ã©'
  expect 1 'is not a folder' "$SGF" text a --wan /nowhere
  expect 2 "must contain at least one word, got ''" "$SGF" text ''
  expect 1 'needs its tokenizer' "$SGF" text a --encoder "$DATA/text/tiny_umt5.pth"
  expect 0 'cache miss' "$SGF" text 'a panda' "${tiny[@]}"
  expect 0 "prompt embedding, kept by the text encoder's cache: 'a panda'" "$SGF" inspect "$FOLDER"/prompts/*.safetensors
  expect 0 '"cache":"hit"' "$SGF" text 'a  panda' --json "${tiny[@]}"
}

# A Wan folder's parts are what they are, whatever config lies beside them; the encoder has 24 layers, as the official one.
check_wan_folder() {
  local folder=$FOLDER/wan said
  mkdir "$folder"
  cp -- "$DATA"/wan/{config.json,Wan2.1_VAE.pth,diffusion_pytorch_model.safetensors} "$folder"
  python3 - "$folder/t5.safetensors" <<'PYTHON'
import json, struct, sys
shapes = {"token_embedding.weight": [40, 8], "norm.weight": [8]}
for layer in range(24):
    block = f"blocks.{layer}."
    shapes |= {block + "norm1.weight": [8], block + "norm2.weight": [8], block + "ffn.fc2.weight": [8, 16]}
    shapes |= {block + f"attn.{part}.weight": [8, 8] for part in "qkvo"}
    shapes |= {block + "ffn.gate.0.weight": [16, 8], block + "ffn.fc1.weight": [16, 8]}
    shapes[block + "pos_embedding.embedding.weight"] = [32, 2]
header, end = {}, 0
for name, shape in shapes.items():
    size = 4 * shape[0] * (shape[1] if len(shape) > 1 else 1)
    header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [end, end + size]}
    end += size
text = json.dumps(header).encode()
open(sys.argv[1], "wb").write(struct.pack("<Q", len(text)) + text + bytes(end))
PYTHON
  said=$("$SGF" inspect "$folder") || { echo "FAIL: a Wan folder cannot be inspected: $said" && FAILED=1; }
  [[ $said == *'UMT5 encoder: dim 8, ffn 16, layers 24'* && $said == *'Wan VAE: dim 4'* && $said == *'Wan DiT: dim 32'* ]] ||
    { echo "FAIL: a Wan folder is said to hold: $said" && FAILED=1; }
  [[ $said != *missing* ]] || { echo "FAIL: something is missing in a Wan folder: $said" && FAILED=1; }
}

check_pipeline() {
  local pipeline=$FOLDER/pipeline said
  mkdir -p "$pipeline"/{transformer,vae,text_encoder,scheduler}
  cp -- "$DATA"/weights/sharded/* "$pipeline/transformer"
  cp -- "$DATA/weights/dtypes.safetensors" "$pipeline/vae"
  said=$("$SGF" inspect --json "$pipeline")
  [[ $(grep -c '^{"' <<<"$said") == 2 && $said == *'/vae/dtypes.safetensors"'* && $said == *'2 shards'* ]] ||
    { echo "FAIL: a pipeline is inspected as: $said" && FAILED=1; }
}

check_convert() {
  expect 0 'tensors' "$SGF" convert "$DATA/weights/dtypes.safetensors" "$FOLDER/a.pt"
  expect 1 '--overwrite' "$SGF" convert "$DATA/weights/dtypes.safetensors" "$FOLDER/a.pt"
  expect 0 'tensors' "$SGF" convert --overwrite "$DATA/weights/dtypes.safetensors" "$FOLDER/a.pt"
  expect 1 'is the input' "$SGF" convert --force "$FOLDER/a.pt" "$FOLDER/a.pt"
  expect 0 'flattened' "$SGF" convert --help
  expect 0 'nested dicts were flattened' "$SGF" convert --names keep "$DATA/weights/nested.pt" "$FOLDER/b.safetensors"
  expect 0 '7 values that are not tensors were left out: betas.0, betas.1, done' \
    "$SGF" convert --force --names keep "$DATA/weights/nested.pt" "$FOLDER/b.safetensors"
  expect 0 '"no_tensors":["betas.0"' "$SGF" convert --json --force "$DATA/weights/nested.pt" "$FOLDER/b.safetensors"
}

check_config() {
  expect 0 'model.dim' "$SGF" config --keys
  expect 0 'optimiser.learning_rate = 2.0e-06' "$SGF" config --keys LEARNING_RATE
  [[ $("$SGF" config --keys learning_rate) != *model.dim* ]] || { echo 'FAIL: --keys lists what was not asked for' && FAILED=1; }
  expect 0 '"key":"dmd.boundary"' "$SGF" config --keys 'Self Forcing' --json
  expect 1 "no key has 'klingon'" "$SGF" config --keys klingon
  "$SGF" config --schema | python3 -c 'import json, sys; json.load(sys.stdin)["properties"]["model"]["properties"]["dim"]' ||
    { echo 'FAIL: the schema is no JSON with model.dim' && FAILED=1; }
  expect 0 'dim: 192' "$SGF" config tiny --set model.dim=192 --resolved
  expect 1 'model.dim' "$SGF" config tiny --set model.dmi=192
  expect 0 '"dim":192' "$SGF" config tiny --set model.dim=192 --resolved --json
  expect 0 'world-tiny: valid; world-tiny' "$SGF" config world-tiny
  expect 0 '  the dmd stage needs a teacher: set dmd.teacher' "$SGF" config world-tiny
  [[ $("$SGF" config world-tiny --set train.stage=flow_matching 2>&1) != *'also needs'* ]] ||
    { echo 'FAIL: a config that can be trained is said to need more' && FAILED=1; }
  expect 0 '"training_needs":["the dmd stage' "$SGF" config world-tiny --json
  "$SGF" config tiny --resolved >"$FOLDER/once.yaml" && "$SGF" config "$FOLDER/once.yaml" --resolved >"$FOLDER/twice.yaml"
  cmp -s "$FOLDER/once.yaml" "$FOLDER/twice.yaml" || { echo "FAIL: the resolved config changes" && FAILED=1; }
}

check_verify() {
  python3 "$(dirname -- "$0")/check_verify.py" "$SGF" "$DATA" || FAILED=1
}

# On the CPU an item's memory is what the process held during it, and is called that.
check_bench() {
  local said
  said=$("$SGF" bench attention --device cpu --frames 3 --height 8 --width 8 --runs 1)
  echo "$said" >"$FOLDER/bench.jsonl"
  expect 0 'times of sgf bench' "$SGF" inspect "$FOLDER/bench.jsonl"
  [[ $(grep -c '"memory":"resident"' <<<"$said") == 2 ]] || { echo "FAIL: bench said: $said" && FAILED=1; }
  expect 2 "ITEMS must be" "$SGF" bench atention --device cpu --frames 3 --height 8 --width 8
}

check_world() {
  local caption='a fast red disc on a grey field' lines format=mp4
  "$SGF" --version | grep -q '^no FFmpeg' && format=png
  expect 0 '3 clips of 24 frames' "$SGF" world render --clips 3 --frames 24 --seed 2 --format "$format" \
    --out "$FOLDER/clips" --strip "$FOLDER/strip.png"
  [[ -s $FOLDER/strip.png && $(wc -l <"$FOLDER/clips/captions.txt") == 3 ]] || { echo 'FAIL: no strip or captions' && FAILED=1; }
  expect 0 'config, for sgf train' "$SGF" inspect "$DATA/../../presets/tiny.yaml"
  expect 0 'recipe of sgf study' "$SGF" inspect "$DATA/../../recipes/world-small/study.yaml"
  expect 0 'recipe, for sgf recipe run' "$SGF" inspect "$DATA/../../recipes/world-tiny"
  expect 0 'models; inspect one of them' "$SGF" inspect "$DATA/../../models/world-small"
  mkdir -p "$FOLDER/mixed" && cp "$DATA/../../presets/tiny.yaml" "$DATA/weights/dtypes.safetensors" "$FOLDER/mixed"
  expect 0 'tensors' "$SGF" inspect "$FOLDER/mixed" # the control: weights come first
  expect 1 'is not empty' "$SGF" world render --clips 1 --frames 2 --out "$FOLDER/clips"
  expect 0 '3 clips' "$SGF" world render --clips 3 --frames 24 --seed 2 --format "$format" --threads 3 --out "$FOLDER/threads"
  diff -r "$FOLDER/clips" "$FOLDER/threads" || { echo 'FAIL: clips depend on --threads' && FAILED=1; }
  [[ $("$SGF" world measure --manifest "$FOLDER/clips/manifest.json" --threads 3) == \
    $("$SGF" world measure --manifest "$FOLDER/clips/manifest.json" --threads 1) ]] || { echo 'FAIL: scores depend on --threads' && FAILED=1; }
  expect 0 'videos with their prompts, for sgf eval' "$SGF" inspect "$FOLDER/clips/manifest.json" "$FOLDER/clips"
  expect 0 'mean of 3 videos' "$SGF" world measure --manifest "$FOLDER/clips/manifest.json"
  lines=$("$SGF" world measure --manifest "$FOLDER/clips/manifest.json" --segments 2 --json | grep -c '"truth"')
  [[ $lines == 4 ]] || { echo "FAIL: --json gave $lines lines for 3 videos and their mean" && FAILED=1; }
  expect 0 'true clips' "$SGF" world measure "$FOLDER/clips"/clip_00000* --prompt "$caption"
  expect 1 'videos of world-small are 48 x 48' "$SGF" world measure "$FOLDER/clips"/clip_00000* \
    --prompt 'a fast red disc and a slow blue square on a grey field'
  expect 0 'A frame is valid if' "$SGF" world measure --help
  expect 2 '--prompt TEXT or --manifest' "$SGF" world measure "$FOLDER/clips"/clip_00000*
  expect 1 "unknown word 'rde' in a caption; did you mean red?" "$SGF" world measure "$FOLDER/clips"/clip_00000* --prompt "${caption/red/rde}"
  expect 1 'world-tiny has this size' "$SGF" world measure "$FOLDER/clips"/clip_00000* \
    --preset world-small --prompt 'a fast red disc and a slow blue square on a grey field'
  expect 1 'names 1' "$SGF" world render --preset world-small --prompt "$caption" --out "$FOLDER/other"
  [[ ! -e $FOLDER/other ]] || { echo 'FAIL: a refused caption left a folder' && FAILED=1; }
  expect 1 'video file' "$SGF" world measure "$FOLDER/clips/captions.txt" --prompt "$caption"
  expect 2 "--prompt: a prompt must contain at least one word, got ' '" "$SGF" world render --prompt ' ' --out "$FOLDER/other"
  expect 2 '--prompt: a prompt must contain at least one word' "$SGF" world measure "$FOLDER/clips"/clip_00000* --prompt ''
  expect 2 '--prompt: a prompt must contain at least one word' "$SGF" sample --model x --out "$FOLDER/other" --prompt a --prompt ''
  expect 2 "no command 'mesure'; did you mean measure?" "$SGF" world mesure
  expect 2 'did you mean --frames?' "$SGF" world render --out "$FOLDER/other" --frame 3
}

# A video to latents and back, through a file of Wan's name and layout.
check_vae() {
  local wan=(--wan "$DATA/wan" --device cpu) clip
  "$SGF" world render --clips 1 --frames 12 --seed 2 --format png --out "$FOLDER/vae_clips" >/dev/null
  clip=("$FOLDER"/vae_clips/clip_00000*)
  expect 0 '3 latent frames from 12 frames' "$SGF" vae encode "${clip[0]}" --out "$FOLDER/l.safetensors" "${wan[@]}"
  expect 0 'the last 3 of 12 frames are left out' "$SGF" vae encode "${clip[0]}" --out "$FOLDER/l.safetensors" "${wan[@]}"
  expect 0 '[3, 16, ' "$SGF" inspect --keys "$FOLDER/l.safetensors"
  expect 0 '9 frames of ' "$SGF" vae decode "$FOLDER/l.safetensors" --out "$FOLDER/decoded" "${wan[@]}" --tile 32
  [[ $(find "$FOLDER/decoded" -name '*.png' | wc -l) == 9 ]] || { echo 'FAIL: nine frames were expected' && FAILED=1; }
  expect 1 'is not an empty folder' "$SGF" vae decode "$FOLDER/l.safetensors" --out "$FOLDER/decoded" "${wan[@]}"
  if ! "$SGF" --version | grep -q '^no FFmpeg'; then
    expect 0 '9 frames of ' "$SGF" vae decode "$FOLDER/l.safetensors" --out "$FOLDER/decoded.mp4" "${wan[@]}"
    expect 1 'already exists; pass --overwrite' \
      "$SGF" vae decode "$FOLDER/l.safetensors" --out "$FOLDER/decoded.mp4" "${wan[@]}"
    expect 0 '9 frames of ' \
      "$SGF" vae decode "$FOLDER/l.safetensors" --out "$FOLDER/decoded.mp4" --overwrite "${wan[@]}"
    expect 2 'must be the name of a .safetensors file' \
      "$SGF" vae encode "$FOLDER/decoded.mp4" --out "$FOLDER/decoded.mp4" "${wan[@]}"
  fi
  expect 2 '--vae FILE or --wan DIR' "$SGF" vae decode "$FOLDER/l.safetensors" --out "$FOLDER/other"
  expect 1 'has no Wan2.1_VAE.pth for the VAE' "$SGF" vae decode "$FOLDER/l.safetensors" --out "$FOLDER/other" --wan "$FOLDER"
  expect 1 'is not a Wan VAE' "$SGF" vae decode "$FOLDER/l.safetensors" --out "$FOLDER/other" \
    --vae "$DATA/weights/state_dict.pt"
  expect 1 "has no tensor 'latents'" "$SGF" vae decode "$DATA/weights/state_dict.pt" --out "$FOLDER/other" "${wan[@]}"
  expect 0 'Wan VAE: dim 4, z_dim 16' "$SGF" inspect "$DATA/wan/Wan2.1_VAE.pth"
  expect 0 '"whole":true' "$SGF" inspect --json "$DATA/wan/Wan2.1_VAE.pth"
  expect 0 '[4, 9)' "$SGF" diagnose vae-boundary "${clip[0]}" "${wan[@]}" --frames 9 --windows 2
  expect 0 '"frames":[0,9],"relative_l2":0.0,"window":"W=1"' \
    "$SGF" diagnose vae-boundary "${clip[0]}" "${wan[@]}" --frames 9 --windows 2 --json
  expect 1 'has 12 frames, 81 are needed' "$SGF" diagnose vae-boundary "${clip[0]}" "${wan[@]}"
}

check_plan() {
  expect 0 'peak, in ' "$SGF" plan wan-1.3b-chunkwise
  expect 0 'fits: ' "$SGF" plan world-small --memory 24
  expect 1 'smallest change that fits: --set train.micro_batch=' "$SGF" plan wan-1.3b-chunkwise --gpus 8 --memory 80 \
    --set train.micro_batch=4
  expect 0 '"step_seconds":null' "$SGF" plan world-tiny --json
  expect 1 'every GPU needs a sample' "$SGF" plan world-tiny --gpus 3
  expect 1 'model.dim' "$SGF" plan tiny --set model.dmi=1
}

check_diagnose() {
  local small=(world-tiny --device cpu --dtype float64 --set video.frames=6 --set train.micro_batch=1)
  expect 0 'random weights of seed 1' "$SGF" diagnose recovery "${small[@]}" --noises 1 --save-record "$FOLDER/records"
  expect 0 'exit record of a rollout' "$SGF" inspect "$FOLDER/records/exit2_noise0.safetensors"
  expect 0 'text as saved' "$SGF" diagnose recovery "${small[@]}" --replay "$FOLDER/records/exit2_noise0.safetensors"
  expect 1 'DO NOT MATCH' "$SGF" diagnose recovery "${small[@]}" --set run.seed=7 \
    --replay "$FOLDER/records/exit2_noise0.safetensors"
  expect 0 '"method":"bptt","outcome":"ran"' "$SGF" diagnose feasibility "${small[@]}" --json --methods sgf,bptt --exit 2
  expect 1 "unknown method 'btpp'" "$SGF" diagnose feasibility "${small[@]}" --methods btpp
  expect 1 '--exit must be from 1 to 4, got 5' "$SGF" diagnose feasibility "${small[@]}" --exit 5
  expect 1 'sgf: /nowhere' "$SGF" diagnose recovery "${small[@]}" --replay /nowhere
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
  local words
  "$SGF" completion bash >"$FOLDER/sgf.bash"
  # shellcheck source=/dev/null
  source "$FOLDER/sgf.bash"
  completes 'inspect' sgf insp
  completes '--keys' sgf inspect --ke
  completes 'wan diffusers keep' sgf convert --names ''
  completes 'bash zsh fish' sgf completion ''
  completes 'world' sgf help wor
  completes 'render measure' sgf help world ''
  completes 'generator_ema generator critic' sgf convert --role ''
  completes 'optimiser.learning_rate=' sgf train --set optimiser.l
  completes 'dynamic_degree' sgf eval --metrics dyn
  completes 'dynamic_degree,motion_smoothness' sgf eval --metrics dynamic_degree,mo
  mkdir -p "$FOLDER/place/runs/mine" && touch "$FOLDER/place/runs/mine/config.yaml"
  cd "$FOLDER/place" || return
  completes 'runs/mine' sgf diagnose recovery tiny --weights ru
  completes 'runs' sgf demo --out ru
  cd - >/dev/null || return
  completes 'recovery feasibility vae-boundary sink' sgf diagnose ''
  completes 'encode decode' sgf vae ''
  completes '' sgf convert ''
  completes 'tiny' sgf config ti
  for words in 'train' 'plan' 'diagnose recovery' 'pairs' 'generate --config' 'sample --config'; do
    # shellcheck disable=SC2086 # several words
    completes 'world-tiny' sgf $words world-ti
  done
  completes 'optimiser.learning_rate' sgf config --keys optimiser.learning_r
  completes '' sgf config ./
  completes 'rollout reconstruct recovery' sgf bench r
  completes 'auto cpu cuda' sgf verify --device ''
  completes 'render measure' sgf world ''
  completes '--manifest' sgf world measure --man
  completes 'world-tiny world-small' sgf world render --preset ''
  "$SGF" completion zsh >"$FOLDER/_sgf"
  ! command -v zsh >/dev/null || expect 0 '' zsh -n "$FOLDER/_sgf"
  "$SGF" completion fish >"$FOLDER/sgf.fish"
  ! command -v fish >/dev/null || expect 0 '' fish -n "$FOLDER/sgf.fish"
  ! command -v fish >/dev/null ||
    expect 0 'world-tiny' fish -N -c "source $FOLDER/sgf.fish; complete -C 'sgf recipe run world-t'"
  expect 0 '' bash -n "$FOLDER/sgf.bash"
}

# measure_within MORE FOLDER: measures a video with as much address space as a refusal takes, and MORE kB.
measure_within() {
  local most=500000
  local command=("$SGF" world measure --prompt 'a fast red disc on a grey field')
  until [[ $(ulimit -v "$most" && "${command[@]}" /nowhere 2>&1) == *'/nowhere: '*'no such'* ]]; do
    most=$((most + 100000))
    ((most < 9000000)) || return 9  # never said
  done
  (ulimit -v $((most + $1)) && exec "${command[@]}" "$2")
}

# Small files that ask for much: refused with their name, never a crash.
check_hostile() {
  local prompt='a fast red disc on a grey field'
  python3 "$(dirname -- "${BASH_SOURCE[0]}")/hostile_files.py" "$FOLDER"
  expect 1 'the metadata lacks `kind`' "$SGF" verify "$FOLDER/deep.safetensors"
  if "$SGF" --version | grep -q FFmpeg; then
    expect 1 'its metadata is not from sgf generate' "$SGF" redo --show "$FOLDER/deep.mp4"
  fi
  expect 1 'an image of 32768 x 32768 is too large' "$SGF" world measure --prompt "$prompt" "$FOLDER/bomb"
  expect 1 "out of memory: reading $FOLDER/large/frame_00000.png requested 201.3 MB" \
    measure_within 100000 "$FOLDER/large"
}

# However little memory there is, and wherever it runs out: a message and a code, never a signal.
check_little_memory() {
  local kilobytes code said
  nm -D "$SGF" 2>/dev/null | grep -q -e __asan_init -e __tsan_init && return 0 # these reserve terabytes
  for ((kilobytes = 540000; kilobytes <= 740000; kilobytes += 20000)); do
    said=$( (ulimit -v "$kilobytes" && "$SGF" world render --out "$FOLDER/little$kilobytes" --clips 1 --frames 3) 2>&1)
    code=$?
    ((code < 128)) || { echo "FAIL: with $kilobytes kB: exit $code, said: $said" && FAILED=1; }
    said=$( (ulimit -v "$kilobytes" && "$SGF" generate --model world-small --seconds 0.1 --format none --quiet) 2>&1)
    code=$?
    ((code < 128)) || { echo "FAIL: generate with $kilobytes kB: exit $code, said: $said" && FAILED=1; }
  done
}

# In a copy of the tree, which has little to lose.
check_run() {
  local tree=$FOLDER/tree
  mkdir -p "$tree/tools" "$tree/build"
  cp -r -- "$DATA/../../run" "$tree" && cp -r -- "$DATA/../../tools/run" "$tree/tools"
  expect 2 "clean takes --all or nothing, got '--all now'" "$tree/run" clean --all now
  expect 2 "format takes --check or nothing, got '--check now'" "$tree/run" format --check now
  expect 2 "install takes --prefix DIR or nothing, got 'now'" "$tree/run" install now
  [[ -d $tree/build ]] || { echo "FAIL: a refused clean removed the build" && FAILED=1; }
  expect 0 '' "$tree/run" clean
  [[ ! -d $tree/build ]] || { echo "FAIL: clean left the build" && FAILED=1; }
}

# Every command that computes takes --threads, and --device if it runs networks; threads wait for each other asleep,
# unless the user says otherwise.
check_threads() {
  local command words option said
  for command in train generate redo sample pairs 'data encode' eval verify bench demo study 'recipe run' text \
    'diagnose recovery' 'diagnose feasibility' 'diagnose sink' 'diagnose vae-boundary' 'vae encode' 'vae decode' \
    serve; do
    read -ra words <<<"$command"
    for option in --threads --device; do expect 0 "  $option " "$SGF" "${words[@]}" --help; done
  done
  for command in 'world render' 'world measure' 'wan make' convert; do
    read -ra words <<<"$command"
    expect 0 '  --threads ' "$SGF" "${words[@]}" --help
  done
  expect 2 '--threads' "$SGF" verify x --threads 5000
  said=$(OMP_DISPLAY_ENV=true OMP_WAIT_POLICY=ACTIVE "$SGF" --version 2>&1)
  [[ $said == *"OMP_WAIT_POLICY = 'ACTIVE'"* ]] || return 0 # another OpenMP runtime
  nm -D "$SGF" 2>/dev/null | grep -q -e __asan_init -e __tsan_init && return 0
  said=$(env -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT OMP_DISPLAY_ENV=true "$SGF" --version 2>&1)
  (($(nproc) == 1)) || [[ $said == *"OMP_WAIT_POLICY = 'PASSIVE'"* ]] || { echo "FAIL: threads spin: $said" && FAILED=1; }
}

check_errors
check_impossible_places
check_threads
check_help
check_missing_values
check_fifo
check_nan
check_verify
check_inspect
check_text
check_wan_folder
check_pipeline
check_convert
check_config
check_bench
check_world
check_vae
check_plan
check_diagnose
check_pipes
check_completion
check_hostile
check_little_memory
check_run
exit "$FAILED"
