#!/usr/bin/env bash
# An installed program, copied to another place and run in an empty folder: it finds its presets, recipes and models
# there, and never those of the source tree.
# usage: check_installed.sh PREFIX
set -uo pipefail

PREFIX=$1
HERE=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
# shellcheck source=tests/apps/expect.sh
source "$HERE/../apps/expect.sh"
FOLDER=$(mktemp -d)
trap 'rm -rf -- "$FOLDER"' EXIT
unset SGF_PRESETS
mkdir "$FOLDER/moved" "$FOLDER/empty"
cp -r "$PREFIX/bin" "$PREFIX/share" "$FOLDER/moved"
cd "$FOLDER/empty" || exit 1
SGF=$FOLDER/moved/bin/sgf
SHARE=$FOLDER/moved/share/sgf

# A preset that only the copy has, and one that only the source tree has.
cp "$SHARE/presets/tiny.yaml" "$SHARE/presets/only-here.yaml"
rm "$SHARE/presets/wan-14b.yaml"
expect 0 'only-here' "$SGF" config only-here
expect 1 'wan-14b' "$SGF" config wan-14b

expect 0 '' "$SGF" generate --model world-small --seconds 0.3 --quiet --threads 1 --out preset.y4m
expect 0 '' "$SGF" generate --model models/world-small/student --seconds 0.3 --quiet --threads 1 --out folder.y4m
[[ -s preset.y4m && -s folder.y4m ]] || complain "no video: $(ls)"
expect 0 'world-small-teacher' "$SGF" recipe run recipes/world-small --dry-run
expect 0 'chunkwise-initial' "$SGF" study recipes/world-small/study.yaml --granularity chunkwise --dry-run
expect 0 'chunkwise-initial' "$SGF" study world-small --granularity chunkwise --dry-run
expect 0 'world-small-teacher' "$SGF" recipe run world-small --dry-run
expect 1 'framewise.student' "$SGF" study world-small --dry-run
[[ $("$SGF" recipe run recipes/world-small-framewise --dry-run 2>&1) != *'models/world-small/student does not exist'* ]] ||
  complain 'a recipe does not find the installed student'
expect 1 'no such folder' "$SGF" recipe run recipes/nowhere --dry-run

# The manual, and completion where the shells look for it.
for file in man/man1/sgf.1 bash-completion/completions/sgf zsh/site-functions/_sgf fish/vendor_completions.d/sgf.fish; do
  grep -q 'world render' "$PREFIX/share/$file" || complain "share/$file is not installed, or does not know a command"
done

# sgf/sgf.h and every header that it includes, directly or not: these are installed, and no others.
public_headers() {
  local -a unread=(sgf/sgf.h)
  local -A seen=([sgf/sgf.h]=1)
  local header included
  while ((${#unread[@]})); do
    header=${unread[-1]}
    unset 'unread[-1]'
    while read -r included; do
      if [[ -z ${seen[$included]-} ]]; then unread+=("$included") && seen[$included]=1; fi
    done < <(sed -n 's|^#include "\(sgf/[^"]*\)".*|\1|p' "$HERE/../../$header")
  done
  printf '%s\n' "${!seen[@]}" | sort
}
(cd "$PREFIX/include" && find . -type f -printf '%P\n') | sort >installed.txt
public_headers >public.txt
(($(wc -l <public.txt) > 20)) || complain "only $(wc -l <public.txt) public headers were found"
diff public.txt installed.txt >headers.diff || complain "public (<) and installed (>) headers differ: $(<headers.diff)"

# Experiments are part of the program and of nothing else.
[[ -z $(find "$PREFIX" -path '*/lab/*' -o -name '*sgf_lab*') ]] || complain "$(find "$PREFIX" -name '*lab*') is installed"
! grep -rq 'sgf_lab' "$PREFIX"/lib*/cmake/sgf || complain 'the installed package names the lab'

exit "$FAILED"
