# Fuzzing the readers of outside data with libFuzzer. What it learns grows in build/fuzz/corpus, not in the tree.
# shellcheck shell=bash

FUZZ_SECONDS=60
# Short inputs first, which are tried by the thousand; then up to a megabyte, so that depth and size are in reach.
FUZZ_SHORT=4096 FUZZ_LONG=1048576
FUZZ_LIMITS=(-rss_limit_mb=2048 -timeout=60)
# Faster, where an address is reported with fewer callers; an input alone is run with all of them. The replay of ./run
# test looks for leaks.
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

# Inputs that broke something must not do so again. They are no seeds: a megabyte of brackets makes for slow mutations.
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

# fuzz_one TARGET: its output goes to build/fuzz/log/TARGET.txt; whether it found nothing.
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

# numbers_in LOG PATTERN: those after PATTERN.
numbers_in() { grep -aoE "$2 *[0-9]+" "$1" | grep -oE '[0-9]+$' || true; }

# One line about a target that has run; executions add up over all runs of this build folder.
say_fuzz_result() {
  local target=$1 result=$2 dir log made before edges corpus
  dir=$(build_dir fuzz)
  log=$dir/log/$target.txt
  made=$(numbers_in "$log" 'stat::number_of_executed_units:' | awk '{all += $1} END {print all + 0}')
  before=$(cat "$dir/executions/$target" 2>/dev/null || echo 0)
  echo $((before + made)) >"$dir/executions/$target"
  edges=$(numbers_in "$log" ' cov:' | tail -n 1)
  corpus=$(find "$dir/corpus/$target" -type f | wc -l)
  printf '%-18s %10d executions (%d in all), %6d edges, %5d inputs, %s\n' "$target" "$made" $((before + made)) \
    "${edges:-0}" "$corpus" "$result"
}

say_finding() {
  local target=$1 dir input
  dir=$(build_dir fuzz)
  input=$(sed -n -e 's/.*Test unit written to //p' -e 's/^Running: //p' "$dir/log/$target.txt" | tail -n 1)
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
