# Fuzzing the readers of outside data with libFuzzer. Its corpus grows in build/fuzz/corpus, not in the source tree.
# shellcheck shell=bash

FUZZ_SECONDS=60
# Short inputs first, because thousands can be tried; then up to 1 MB, to reach limits of depth and size.
FUZZ_SHORT=512 FUZZ_LONG=1048576
FUZZ_LIMITS=(-rss_limit_mb=2048 -timeout=60)
# Shorter stack traces make fuzzing faster; a single input runs with full traces. The replay in ./run test finds leaks.
FUZZ_ASAN=malloc_context_size=2:quarantine_size_mb=16:detect_leaks=0

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
  (($# == 0)) || die 2 "fuzz takes a target and a number of seconds, got unexpected '$*'"
}

fuzz_program() { "$(build_dir fuzz)/bin/sgf_fuzz" "$@"; }

# Distributions split clang's runtime differently: only a link shows whether libFuzzer is installed.
check_libfuzzer() {
  command -v clang++ >/dev/null || die 3 "fuzz needs clang++, which is not installed"
  echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
    clang++ -x c++ -fsanitize=fuzzer,address -o /dev/null - 2>/dev/null ||
    die 3 "this clang++ has no libFuzzer; install compiler-rt for $(clang++ --version | head -n 1)"
}

ready_fuzz() {
  [[ -f $(build_dir fuzz)/build.ninja ]] || check_libfuzzer
  configure fuzz
  build_preset fuzz sgf_fuzz
}

# Unpacks compressed inputs for libFuzzer.
unpack_inputs() {
  local target=$1 to=$2 packed name
  mkdir -p "$to"
  for packed in "$ROOT"/tests/fuzz/{seeds,broken}/"$target"/*.gz; do
    [[ -e $packed ]] || continue
    name=${packed##*/}
    gzip -dc "$packed" >"$to/${name%.gz}"
  done
}

# Inputs that broke something once must pass now. They are not seeds: mutating 1 MB of brackets is slow.
replay_broken() {
  local target=$1 dir=$2 inputs=()
  unpack_inputs "$target" "$dir/unpacked/$target"
  mapfile -t inputs < <(find "$ROOT/tests/fuzz/broken/$target" "$dir/unpacked/$target" -type f ! -name '*.gz' 2>/dev/null)
  ((${#inputs[@]} == 0)) ||
    fuzz_program "--target=$target" "${FUZZ_LIMITS[@]}" "-artifact_prefix=$dir/crashes/$target/" "${inputs[@]}"
}

# run_libfuzzer TARGET DIR SECONDS BYTES
run_libfuzzer() {
  local target=$1 dir=$2 seconds=$3 bytes=$4 dictionary=$ROOT/tests/fuzz/dictionaries/$1.dict options=()
  if [[ -f $dictionary ]]; then options=("-dict=$dictionary"); fi
  ASAN_OPTIONS=$FUZZ_ASAN fuzz_program "--target=$target" "-max_total_time=$seconds" "-max_len=$bytes" -len_control=0 \
    "${FUZZ_LIMITS[@]}" "${options[@]}" -print_final_stats=1 "-artifact_prefix=$dir/crashes/$target/" \
    "$dir/corpus/$target" "$ROOT/tests/fuzz/seeds/$target"
}

# fuzz_one TARGET: writes its output to build/fuzz/log/TARGET.txt; succeeds if nothing was found.
fuzz_one() {
  local target=$1 dir long=$(((FUZZ_SECONDS + 3) / 4))
  dir=$(build_dir fuzz)
  mkdir -p "$dir/log" "$dir/corpus/$target" "$dir/crashes/$target" "$dir/executions"
  {
    replay_broken "$target" "$dir" &&
      run_libfuzzer "$target" "$dir" $((FUZZ_SECONDS > long ? FUZZ_SECONDS - long : 1)) "$FUZZ_SHORT" &&
      run_libfuzzer "$target" "$dir" "$long" "$FUZZ_LONG"
  } >"$dir/log/$target.txt" 2>&1 </dev/null
}

# numbers_in LOG PATTERN: the numbers after PATTERN.
numbers_in() { grep -aoE "$2 *[0-9]+" "$1" | grep -oE '[0-9]+$' || true; }

# One line per target that ran; executions are summed over all runs of this build folder.
say_fuzz_result() {
  local target=$1 result=$2 dir log made before edges corpus
  dir=$(build_dir fuzz)
  log=$dir/log/$target.txt
  made=$(numbers_in "$log" 'stat::number_of_executed_units:' | awk '{all += $1} END {print all + 0}')
  before=$(cat "$dir/executions/$target" 2>/dev/null || echo 0)
  echo $((before + made)) >"$dir/executions/$target"
  edges=$(numbers_in "$log" ' cov:' | tail -n 1)
  corpus=$(find "$dir/corpus/$target" -type f | wc -l)
  printf '%-18s %10d executions (%d in total), %6d edges, %5d inputs, %s\n' "$target" "$made" $((before + made)) \
    "${edges:-0}" "$corpus" "$result"
}

say_finding() {
  local target=$1 dir input
  dir=$(build_dir fuzz)
  input=$(sed -n -e 's/.*Test unit written to //p' -e 's/^Running: //p' "$dir/log/$target.txt" | tail -n 1)
  say "run: $target: $(grep -aE 'ERROR:|SUMMARY:|what\(\)|runtime error' "$dir/log/$target.txt" | head -n 1)"
  say "  full log:       $dir/log/$target.txt"
  [[ -n $input ]] || return 0
  say "  input:          $input"
  say "  repeat:         $dir/bin/sgf_fuzz --target=$target $input"
  say "  add it to ./run test: cp $input $ROOT/tests/fuzz/broken/$target/WHAT_IT_BROKE"
}

# Runs in its own process, several in parallel.
fuzz_and_tell() {
  if fuzz_one "$1"; then
    say_fuzz_result "$1" 'no crash'
  else
    say_fuzz_result "$1" 'CRASH'
    say_finding "$1"
    return 1
  fi
}

# Readers that take a path get their input as a file, which should be in memory.
fuzz_scratch() { mktemp -d "$(if [[ -w /dev/shm ]]; then echo /dev/shm; else echo "${TMPDIR:-/tmp}"; fi)/sgf_fuzz_XXXXXX"; }

fuzz_targets() {
  local names name failed=0 running=0
  mapfile -t names < <(fuzz_program --list)
  if [[ -n $FUZZ_TARGET ]]; then
    printf '%s\n' "${names[@]}" | grep -qxF -- "$FUZZ_TARGET" || die 2 "unknown fuzz target '$FUZZ_TARGET'; ./run fuzz --list prints all"
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
