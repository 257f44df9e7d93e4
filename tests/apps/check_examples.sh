#!/usr/bin/env bash
# The examples in every --help work as printed, made shorter where they take long. An example that names files of the
# user's own (NEEDS) is left out.
# usage: check_examples.sh SGF
set -uo pipefail

SGF=$1
# shellcheck source=tests/apps/expect.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/expect.sh"
FOLDER=$(mktemp -d)
trap 'rm -rf -- "$FOLDER"' EXIT
cd -- "$FOLDER" || exit 1
export OMP_NUM_THREADS=1 HOME=$FOLDER XDG_CACHE_HOME=$FOLDER/cache
mkdir bin && ln -s "$SGF" bin/sgf
export PATH=$FOLDER/bin:$PATH SGF_PRESETS=${SGF_PRESETS:-$(dirname -- "${BASH_SOURCE[0]}")/../../presets}

NEEDS='Wan2\.1|runs/(my-run|sf|world-tiny)|videos/|model\.(pt|safetensors)|checkpoint\.pt|results/|answers|anna\.json'
NEEDS+='|base\.pt|longlive_base|wan_models|completion fish|[ /]clip\.|a\.mp4|sf\.(mp4|json)|long\.mp4|causal-ode|recording\.|prompts\.txt|tests/data|wan-1\.3b --dtype|data/clips'

# Examples of all commands: in the manual, lines between .nf and .fi stay as they are.
examples() { "$SGF" help --man | awk '/^\.nf/ { on = 1 } /^\.fi/ { on = 0 } on && /^sgf / { gsub(/\\-/, "-"); print }'; }

SMALL='--set train.steps=3 --set dmd.generator_every=2 --set dmd.critic_only_steps=0 --set video.frames=6'
shorter() {
  sed -E "s/--seconds [0-9]+/--seconds 0.5/; s/train\.steps=[0-9]+/train.steps=2/; s/--clips 8/--clips 2/
    s/^sgf demo$/sgf demo --prompts 1 --frames 6 $SMALL/; s/--prompts 4 --frames 84/--prompts 1 --frames 6 $SMALL/
    /^sgf (recipe run|study) /s/( --dry-run)?$/ --dry-run/; s/ --dry-run(.*) --dry-run/ --dry-run\1/
    s/^sgf diagnose feasibility world-small/sgf diagnose feasibility world-tiny --set video.frames=6/
    s/^(sgf train world-tiny .*)/\1 --set train.steps=2/; s/^(sgf diagnose sink .*)/\1 --frames 42 --streams 1/; s/^(sgf diagnose recovery .*)/\1 --noises 1/
    s/^(sgf sample .*)/\1 --steps 2 --set video.frames=6/; s/run\.device=cuda/run.device=cpu/; s/^(sgf bench .*)/\1 --runs 1/
    s/^(sgf serve.*)/\1 --plan/; s/ --plan --plan/ --plan/"
}

check_examples() {
  local line tried=0
  mapfile -t LINES_TO_TRY < <(examples | awk '!seen[$0]++' | grep -vE "$NEEDS" | shorter)
  for line in "${LINES_TO_TRY[@]}"; do
    [[ $line != *.mp4* || -n $HAS_VIDEO ]] || continue
    ((++tried))
    [[ $line != 'sgf world render '* ]] || rm -rf clips discs
    bash -c "$line" </dev/null >log 2>&1 || complain "an example of --help: $line: $(tail -3 log)"
  done
  ((tried >= 20)) || complain "only $tried examples were found: ${LINES_TO_TRY[*]}"
}

HAS_VIDEO=yes
"$SGF" --version | grep -q '^no FFmpeg' && HAS_VIDEO=
check_examples
exit "$FAILED"
