# Tests, format and clang-tidy.
# shellcheck shell=bash

# Other versions format some lines differently: their findings are shown but do not fail the check.
FORMAT_MAJOR=14
SOURCE_DIRS=(sgf lab apps tests examples)
# The folders that clang-tidy reads, if they are in the torch-free build.
TIDY_ROOMS='/sgf/(core|files|config|schedule|context)/'

run_tests() {
  if has_tensorboard; then export SGF_TENSORBOARD_PYTHON=${SGF_TENSORBOARD_PYTHON:-$(tensorboard_python)}; fi
  "$(cmake_tool ctest)" --test-dir "$(build_dir "$1")" --output-on-failure --no-tests=error -j "$(compile_jobs)" </dev/null
}

list_sources() {
  local dir
  for dir in "${SOURCE_DIRS[@]}"; do
    if [[ -d $ROOT/$dir ]]; then
      find "$ROOT/$dir" -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) -print0
    fi
  done
}

clang_format() { command -v "clang-format-$FORMAT_MAJOR" || command -v clang-format; }

format_sources() {
  local tool
  tool=$(clang_format) || die 3 "clang-format is missing"
  list_sources | xargs -0r "$tool" -i
}

check_format() {
  local tool report
  tool=$(clang_format) || { say "run: clang-format not found: skipped" && return; }
  report=$(list_sources | xargs -0r "$tool" --dry-run -Werror 2>&1) && return
  grep 'error:' <<<"$report" >&2 || say "$report"
  if [[ $("$tool" --version) == *"version $FORMAT_MAJOR."* ]]; then die 1 "some files are not formatted; run ./run format"; fi
  say "run: this is not clang-format $FORMAT_MAJOR: the findings above are ignored"
}

# Compile commands of the torch-free files, without g++'s precompiled headers, which clang cannot read.
write_tidy_commands() {
  run_cmake --preset tidy 2>/dev/null
  sed -E 's/ -fpch-preprocess//; s/ -Winvalid-pch -include .*cmake_pch\.hxx//' "$(build_dir tidy)/compile_commands.json" \
    >"$STATE/tidy/compile_commands.json"
}

list_tidy_files() {
  sed -n 's/^ *"file": "\(.*\)",*$/\1/p' "$STATE/tidy/compile_commands.json" | grep -E "$TIDY_ROOMS" | sort -u
}

# -w: the build with g++ already reports compiler warnings.
run_tidy() {
  printf '%s\0' "$@" |
    xargs -0 -n 1 -P "$(compile_jobs)" clang-tidy --quiet -p "$STATE/tidy" --warnings-as-errors='*' --extra-arg=-w 2>&1 |
    sed '/^[0-9]* warnings* generated\.$/d' >&2
}

# A file that passed is checked again only if it, a header or the list of checks changes.
check_tidy() {
  local headers file key passed=() pending=()
  command -v clang-tidy >/dev/null || { say "run: clang-tidy not found: skipped" && return; }
  mkdir -p "$STATE/tidy"
  write_tidy_commands
  headers=$(find "$ROOT/sgf" -name '*.h' -print0 | sort -z | xargs -0 cat "$ROOT/.clang-tidy" | short_hash)
  while read -r file; do
    key=$({ echo "$headers $file" && cat "$file"; } | short_hash)
    [[ -e $STATE/tidy/$key ]] || pending+=("$file") passed+=("$STATE/tidy/$key")
  done < <(list_tidy_files)
  ((${#pending[@]})) || return 0
  run_tidy "${pending[@]}" || die 1 "clang-tidy found problems"
  touch "${passed[@]}"
}
