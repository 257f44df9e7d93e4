# Installing the program, its presets, recipes and models, and the library.
# shellcheck shell=bash

# Root installs for every user of the machine, others for themselves.
default_prefix() { if ((EUID == 0)); then echo /usr/local; else echo "$HOME/.local"; fi; }

# Sets PREFIX, an absolute path.
parse_install_arguments() {
  PREFIX=$(default_prefix)
  while (($#)); do
    case "$1" in
      --prefix | --prefix=*)
        if [[ $1 == --prefix ]]; then shift; fi # the folder is the next word, or the rest of this one
        PREFIX=${1-}
        PREFIX=${PREFIX#--prefix=}
        [[ -n $PREFIX && $PREFIX != -* ]] || die 2 "--prefix needs a folder, got '$PREFIX'"
        ;;
      *) die 2 "install takes --prefix DIR or nothing, got '$1'" ;;
    esac
    shift
  done
  PREFIX=$(realpath -m -- "${PREFIX/#\~\//$HOME/}")
}

# Checked before the build, which takes minutes.
check_prefix() {
  local part folder
  for part in bin include lib share; do
    folder=$PREFIX/$part
    while [[ ! -e $folder ]]; do folder=$(dirname -- "$folder"); done
    [[ -d $folder && -w $folder ]] ||
      die 1 "cannot write into $folder; choose another folder with --prefix DIR, or build as yourself and install as root:
  ./run build && sudo cmake --install $(build_dir) --prefix $PREFIX"
  done
}

copy_installed_files() {
  "$(cmake_tool cmake)" --install "$(build_dir)" --prefix "$PREFIX" </dev/null >/dev/null || die 1 "cmake --install failed"
}

is_on_path() { [[ ":$PATH:" == *":$1:"* ]]; }

say_where_installed() {
  local bin=$PREFIX/bin first
  say "run: installed $bin/sgf"
  say "  It uses the torch in $(torch_dir): keep that folder."
  if ! is_on_path "$bin"; then
    say "  $bin is not on PATH. Add this line to ~/.profile and open a new terminal:"
    say "    export PATH=\"$bin:\$PATH\""
    return
  fi
  hash -r # bash remembers where it found a program before
  first=$(command -v sgf || true)
  if [[ $first == "$bin/sgf" ]]; then
    say "  $bin is on PATH: type sgf --help"
  else
    say "  $bin is on PATH, but $first comes first"
  fi
}
