# Configuring and building the CMake presets.
# shellcheck shell=bash

build_dir() { echo "$ROOT/build/${1:-$FLAVOUR}"; }

# The CUDA build has its own CMake; builds without torch do not need that environment.
cmake_tool() { if [[ $FLAVOUR == cuda && -x $(venv_dir)/bin/$1 ]]; then echo "$(venv_dir)/bin/$1"; else command -v "$1"; fi; }

# A file that includes torch takes about 2 GB to compile.
compile_jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable/ {print int($2 / 2000000)}' /proc/meminfo)
  if ((memory < cores)); then cores=$memory; fi
  echo "${SGF_JOBS:-$((cores > 1 ? cores : 1))}"
}

# What the presets cannot know: the paths of torch and nvcc.
configure_arguments() {
  local preset=$1 architecture
  [[ $preset != asan && $preset != fuzz ]] || return 0
  echo "-DSGF_TORCH_DIR=$(torch_dir)"
  [[ $preset == cuda ]] || return 0
  echo "-DCMAKE_CUDA_COMPILER=$(nvcc_path)"
  architecture=$(remembered gpu-architecture || true)
  [[ -n $architecture ]] || return 0
  echo "-DSGF_CUDA_ARCHITECTURES=$architecture"
  # With a GPU here, the program stays on this machine and may use its FFmpeg.
  if pkg-config --exists libavformat libavcodec libswscale libavutil 2>/dev/null; then echo "-DSGF_WITH_FFMPEG=ON"; fi
}

run_cmake() { (cd "$ROOT" && "$(cmake_tool cmake)" "$@" </dev/null >&2) || die 1 "CMake could not configure the build"; }

# Configures once, and again when arguments or presets change; Ninja itself handles changed CMake files.
configure() {
  local preset=$1 dir arguments key
  dir=$(build_dir "$preset")
  mapfile -t arguments < <(configure_arguments "$preset")
  key=$({ printf '%s\n' "$ROOT" "${arguments[@]}" && cat "$ROOT/CMakePresets.json"; } | short_hash)
  [[ -f $dir/build.ninja && $(cat "$dir/.configured" 2>/dev/null) == "$key" ]] && return
  if ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$ROOT" "$dir/CMakeCache.txt" 2>/dev/null; then rm -rf -- "$dir"; fi
  step "configure ($preset)" run_cmake --preset "$preset" "${arguments[@]}"
  echo "$key" >"$dir/.configured"
}

# build_preset PRESET TARGET: silent if nothing has to be built.
build_preset() {
  ninja -C "$(build_dir "$1")" -j "$(compile_jobs)" "$2" </dev/null 2>&1 |
    sed -u -e '/^ninja: Entering directory/d' -e '/Re-checking globbed directories/d' -e '/^ninja: no work to do/d' >&2 ||
    die 1 "the $1 build failed"
}

ready_to_build() {
  set_up "$@"
  configure "$FLAVOUR"
}

ready_program() {
  ready_to_build build
  build_preset "$FLAVOUR" "$1"
}
