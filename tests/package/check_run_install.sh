#!/usr/bin/env bash
# `./run install`: refuses a prefix it cannot use before it builds, installs into the one it gets, and says whether the
# shell will find the program there.
# usage: check_run_install.sh SOURCE BUILD
set -uo pipefail

SOURCE=$1 BUILD=$2
# shellcheck source=tests/apps/expect.sh
source "$SOURCE/tests/apps/expect.sh"
FOLDER=$(mktemp -d)
trap 'rm -rf -- "$FOLDER"' EXIT
cd "$FOLDER" || exit 1

# The parts of ./run on the build that this test belongs to, without set-up and compiling.
cat >install.sh <<'SCRIPT'
set -euo pipefail
source "$SOURCE/tools/run/common.sh"
source "$SOURCE/tools/run/install.sh"
cmake_tool() { command -v "$1"; }
build_dir() { echo "$BUILD"; }
torch_dir() { echo /opt/torch; }
parse_install_arguments "$@"
check_prefix
copy_installed_files
say_where_installed
SCRIPT
export SOURCE BUILD
SYSTEM_PATH=$PATH

expect 2 "--prefix needs a folder, got ''" bash install.sh --prefix
expect 2 "--prefix needs a folder, got '--quiet'" bash install.sh --prefix --quiet
expect 2 "install takes --prefix DIR or nothing, got 'here'" bash install.sh here
touch file
expect 1 "cannot write into $FOLDER/file" bash install.sh --prefix file/below
[[ $(ls) == $'file\ninstall.sh' ]] || complain "a refused install left $(ls)"

expect 0 "$FOLDER/one/bin is not on PATH" bash install.sh --prefix=one
expect 0 'presets' one/bin/sgf config tiny --resolved --set description=presets
PATH=$FOLDER/one/bin:$SYSTEM_PATH
expect 0 "$FOLDER/one/bin is on PATH: type sgf --help" bash install.sh --prefix "$FOLDER/one"
mkdir -p first
cp one/bin/sgf first
PATH=$FOLDER/first:$FOLDER/one/bin:$SYSTEM_PATH
expect 0 "is on PATH, but $FOLDER/first/sgf comes first" bash install.sh --prefix one

exit "$FAILED"
