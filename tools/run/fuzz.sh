# Fuzzing the readers of outside data with libFuzzer. What it learns grows in build/fuzz/corpus, not in the tree.
# shellcheck shell=bash

FUZZ_SECONDS=60
FUZZ_MAX_BYTES=1048576 # so that depth and size are in reach
FUZZ_LIMITS=(-rss_limit_mb=2048 -timeout=10)

# Sets FUZZ_TARGET (empty: all), FUZZ_SECONDS and FUZZ_LIST.
parse_fuzz_arguments() {
  FUZZ_TARGET='' FUZZ_LIST=''
  case "${1-}" in
    --list) FUZZ_LIST=yes && shift ;;
    '' | *[!0-9]*)
      FUZZ_TARGET=${1-}
      shift || true
      ;;
  esac
  if [[ ${1-} =~ ^[1-9][0-9]*$ ]]; then FUZZ_SECONDS=$1 && shift; fi
  (($# == 0)) || die 2 "fuzz takes a target and a number of seconds, got '$*'"
}

fuzz_program() { "$(build_dir fuzz)/bin/sgf_fuzz" "$@"; }

# Packages split clang's runtime differently: only a link tells whether libFuzzer is there.
check_libfuzzer() {
  command -v clang++ >/dev/null || die 3 "fuzz needs clang++; nothing else here builds with it"
  echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
    clang++ -x c++ -fsanitize=fuzzer,address -o /dev/null - 2>/dev/null ||
    die 3 "clang++ has no libFuzzer here; install compiler-rt of $(clang++ --version | head -n 1)"
}

ready_fuzz() {
  [[ -f $(build_dir fuzz)/build.ninja ]] || check_libfuzzer
  configure fuzz
  build_preset fuzz sgf_fuzz
}

# Inputs that are stored packed, as libFuzzer wants them.
unpack_inputs() {
  local target=$1 to=$2 packed name
  mkdir -p "$to"
  for packed in "$ROOT"/tests/fuzz/{seeds,broken}/"$target"/*.gz; do
    [[ -e $packed ]] || continue
    name=${packed##*/}
    gzip -dc "$packed" >"$to/${name%.gz}"
  done
}

# fuzz_one TARGET: its output goes to build/fuzz/log/TARGET.txt; whether it found nothing.
fuzz_one() {
  local target=$1 dir inputs=() folder dictionary=$ROOT/tests/fuzz/dictionaries/$1.dict
  dir=$(build_dir fuzz)
  mkdir -p "$dir/log" "$dir/corpus/$target" "$dir/crashes/$target" "$dir/executions"
  unpack_inputs "$target" "$dir/unpacked/$target"
  for folder in "$ROOT"/tests/fuzz/{seeds,broken}/"$target" "$dir/unpacked/$target"; do
    if [[ -d $folder ]]; then inputs+=("$folder"); fi
  done
  if [[ -f $dictionary ]]; then inputs+=("-dict=$dictionary"); fi
  fuzz_program "--target=$target" "-max_total_time=$FUZZ_SECONDS" "-max_len=$FUZZ_MAX_BYTES" -len_control=0 \
    "${FUZZ_LIMITS[@]}" -print_final_stats=1 "-artifact_prefix=$dir/crashes/$target/" "$dir/corpus/$target" \
    "${inputs[@]}" >"$dir/log/$target.txt" 2>&1 </dev/null
}

# count_in LOG PATTERN: the last number after PATTERN; 0 where there is none.
count_in() { grep -aoE "$2 *[0-9]+" "$1" | grep -oE '[0-9]+$' | tail -n 1 | grep . || echo 0; }

# One line about a target that has run; executions add up over all runs of this build folder.
say_fuzz_result() {
  local target=$1 result=$2 dir log made before edges corpus
  dir=$(build_dir fuzz)
  log=$dir/log/$target.txt
  made=$(count_in "$log" 'stat::number_of_executed_units:')
  before=$(cat "$dir/executions/$target" 2>/dev/null || echo 0)
  echo $((before + made)) >"$dir/executions/$target"
  edges=$(count_in "$log" ' cov:')
  corpus=$(find "$dir/corpus/$target" -type f | wc -l)
  printf '%-18s %10d executions (%d in all), %6d edges, %5d inputs, %s\n' "$target" "$made" $((before + made)) \
    "$edges" "$corpus" "$result"
}

say_finding() {
  local target=$1 dir input
  dir=$(build_dir fuzz)
  input=$(sed -n 's/.*Test unit written to //p' "$dir/log/$target.txt" | tail -n 1)
  say "run: $target: $(grep -aE 'ERROR:|SUMMARY:|what\(\)|runtime error' "$dir/log/$target.txt" | head -n 1)"
  say "  all of it:      $dir/log/$target.txt"
  [[ -n $input ]] || return 0
  say "  the input:      $input"
  say "  once more:      $dir/bin/sgf_fuzz --target=$target $input"
  say "  keep it, so that ./run test replays it: cp $input $ROOT/tests/fuzz/broken/$target/WHAT_IT_BROKE"
}

# Runs in a process of its own, several of them side by side.
fuzz_and_tell() {
  if fuzz_one "$1"; then
    say_fuzz_result "$1" 'no crash'
  else
    say_fuzz_result "$1" 'CRASH'
    say_finding "$1"
    return 1
  fi
}

# Readers that take a path get their input as a file, and that should not be on a disk.
fuzz_scratch() { mktemp -d "$(if [[ -w /dev/shm ]]; then echo /dev/shm; else echo "${TMPDIR:-/tmp}"; fi)/sgf_fuzz_XXXXXX"; }

fuzz_targets() {
  local names name failed=0 running=0
  mapfile -t names < <(fuzz_program --list)
  if [[ -n $FUZZ_TARGET ]]; then
    printf '%s\n' "${names[@]}" | grep -qxF -- "$FUZZ_TARGET" || die 2 "no fuzz target '$FUZZ_TARGET'; ./run fuzz --list names them"
    names=("$FUZZ_TARGET")
  fi
  TMPDIR=$(fuzz_scratch)
  export TMPDIR
  trap 'rm -rf -- "$TMPDIR"' EXIT
  for name in "${names[@]}"; do
    if ((running == ${SGF_JOBS:-$(nproc)})); then
      wait -n || failed=1
      running=$((running - 1))
    fi
    fuzz_and_tell "$name" &
    running=$((running + 1))
  done
  while ((running > 0)); do
    wait -n || failed=1
    running=$((running - 1))
  done
  ((failed == 0)) || die 1 "fuzzing found something; see above"
}
