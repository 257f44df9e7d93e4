# System packages, by apt. The names are the same on Debian 12 and Ubuntu 24.04 (there partly from universe).
# shellcheck shell=bash

# Required to build.
BUILD_PACKAGES=(ca-certificates g++ cmake ninja-build libfmt-dev libyaml-cpp-dev nlohmann-json3-dev libcli11-dev
  zlib1g-dev libpng-dev libxxhash-dev libgtest-dev libgmock-dev)
# For training with several processes; a build without it supports one process only.
RANK_PACKAGES=(libgloo-dev)
# For video files; `sgf --version` shows whether the build has them.
VIDEO_PACKAGES=(pkg-config libavcodec-dev libavformat-dev libswscale-dev libavutil-dev)
# For sgf serve; `sgf --version` shows whether the build has it.
SERVER_PACKAGES=(libboost-dev)
# For the virtual environment that torch lives in.
VENV_PACKAGES=(python3 python3-venv)
# For faster builds; optional.
EXTRA_PACKAGES=(ccache mold)
# For ./run test and ./run format: a check whose tool is missing is skipped with a message.
CHECK_PACKAGES=(clang-format clang-tidy ffmpeg chromium chromium-driver)
# For ./run fuzz: the compiler with libFuzzer, whose runtime is a separate package.
FUZZ_PACKAGES=(clang libclang-rt-dev)

# list_packages WANT…: fills REQUIRED and WELCOME for `build`, `checks`, `fuzz` or several.
list_packages() {
  local want
  REQUIRED=() WELCOME=()
  for want in "$@"; do
    case "$want" in
      build)
        REQUIRED+=("${BUILD_PACKAGES[@]}")
        WELCOME+=("${EXTRA_PACKAGES[@]}" "${RANK_PACKAGES[@]}" "${VIDEO_PACKAGES[@]}" "${SERVER_PACKAGES[@]}")
        if needs_venv; then REQUIRED+=("${VENV_PACKAGES[@]}"); fi
        ;;
      checks) WELCOME+=("${CHECK_PACKAGES[@]}") ;;
      fuzz)
        REQUIRED+=("${BUILD_PACKAGES[@]}")
        WELCOME+=("${FUZZ_PACKAGES[@]}" "${EXTRA_PACKAGES[@]}" "${VIDEO_PACKAGES[@]}" "${SERVER_PACKAGES[@]}")
        ;;
    esac
  done
}

missing_packages() {
  local installed name
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true)
  for name in "$@"; do
    grep -qxF "installed $name" <<<"$installed" || echo "$name"
  done
}

may_install() {
  ((EUID == 0)) && return
  command -v sudo >/dev/null || return
  sudo -n true 2>/dev/null || [[ -t 0 && -t 2 ]]
}

apt_get() {
  local as_root=()
  ((EUID == 0)) || as_root=(sudo)
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 \
    "$@" </dev/null >&2
}

# Prints the NAMES that this distribution has; warns about the others.
known_packages() {
  local name
  for name in "$@"; do
    if [[ -n $(apt-cache show "$name" 2>/dev/null) ]]; then
      echo "$name"
    else
      say "run: this distribution has no package $name; continuing without it"
    fi
  done
}

install_packages() {
  local names
  apt_get update || say "run: apt-get update failed; using the existing package lists"
  mapfile -t names < <(known_packages "${MISSED[@]}")
  names+=("${MISSING[@]}")
  apt_get install -y --no-install-recommends "${names[@]}" || die 1 "apt-get could not install: ${names[*]}"
}

ask_for_packages() {
  local names=("${MISSING[@]}" "${MISSED[@]}")
  say "run: packages are missing, and installing them needs root or sudo. Run as root:"
  say "  apt-get install --no-install-recommends ${names[*]}"
  ((${#MISSING[@]} == 0)) || die 3 "stopped: the build needs ${MISSING[*]}"
  say "run: continuing without them"
}

# Without apt: lists what is needed, and continues if the tools are installed.
ask_for_tools() {
  local tool absent=()
  for tool in c++ cmake ninja python3; do
    command -v "$tool" >/dev/null || absent+=("$tool")
  done
  say "run: apt not found, so no system package is installed. Required: a C++20 compiler (g++ 12 or newer), CMake 3.25,"
  say "  Ninja, Python 3.10 with venv and pip, and the development files of fmt, yaml-cpp, nlohmann-json, zlib, libpng,"
  say "  xxHash 0.8, CLI11 and GoogleTest. Optional: FFmpeg 5.1 or newer with pkg-config, Boost 1.74 or newer, ccache, mold, the"
  say "  headers of Gloo, clang-format 14, clang-tidy, ffprobe, chromium with chromedriver; for ./run fuzz clang with libFuzzer."
  ((${#absent[@]} == 0)) || die 3 "not found: ${absent[*]}"
}

# ensure_packages WANT…: installs missing packages, or prints which ones to install.
ensure_packages() {
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    ask_for_tools
    return
  fi
  list_packages "$@"
  # The build needs MISSING; MISSED is optional.
  mapfile -t MISSING < <(missing_packages "${REQUIRED[@]}")
  mapfile -t MISSED < <(missing_packages "${WELCOME[@]}")
  ((${#MISSING[@]} + ${#MISSED[@]})) || return 0
  if may_install; then install_packages; else ask_for_packages; fi
}
