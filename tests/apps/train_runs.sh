# Training runs small enough to be started a hundred times, for the checks of `sgf train`.
# shellcheck shell=bash disable=SC2034 # used by those that source it

# shellcheck source=tests/apps/expect.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/expect.sh"

FOLDER=$(mktemp -d)
trap 'rm -rf -- "$FOLDER"' EXIT
LOG=$FOLDER/log

SMALL=(--set model.dim=24 --set model.ffn_dim=32 --set model.freq_dim=16 --set model.num_heads=2
  --set model.num_layers=1 --set output.sample_every=0 --set output.report_every=0 --set run.threads=1)
FLOW=(--set train.stage=flow_matching --set train.steps=1)
FORCING=(--set train.stage=teacher_forcing --set train.steps=1)
# By its file, so that it may teach what another stage's run should.
TEACHER=$FOLDER/teacher/checkpoints/step_00000001/generator.safetensors
DMD=(--set train.stage=dmd --set "train.start_from=$FOLDER/teacher" --set "dmd.teacher=$FOLDER/teacher"
  --set dmd.generator_every=2)
CONSISTENCY=(--set train.stage=causal_cd --set "train.start_from=$FOLDER/teacher" --set "distil.teacher=$TEACHER")
CAUSAL_ODE=(--set train.stage=causal_ode --set "train.start_from=$FOLDER/teacher" --set "data.pairs=$FOLDER/causal_ode-pairs")
BIDIRECTIONAL_ODE=(--set train.stage=bidirectional_ode --set "train.start_from=$FOLDER/teacher"
  --set "data.pairs=$FOLDER/bidirectional_ode-pairs")

# tiny FOLDER ARGS…: a run there.
tiny() {
  local folder=$1
  shift
  "$SGF" train world-tiny "${SMALL[@]}" --set video.frames=6 --quiet --out "$folder" "$@"
}

# pairs STAGE FOLDER COUNT STEPS ARGS…: so many paths of the teacher there, a shard each.
pairs() {
  order_pairs "$@"
  "$SGF" "${PAIRS[@]}"
}

# start_pairs …: the same beside us, as with start.
start_pairs() {
  order_pairs "$@"
  "$SGF" "${PAIRS[@]}" >"$LOG" 2>&1 &
  PROCESS=$!
}

order_pairs() {
  PAIRS=(pairs world-tiny --teacher "$TEACHER" --out "$2" --count "$3" --per-shard 1 --steps "$4" --quiet
    "${SMALL[@]}" --set video.frames=6 --set "train.stage=$1" "${@:5}")
}

# start FOLDER ARGS…: the same beside us; PROCESS is the program itself, not a shell around it, and LOG what it says.
start() {
  local folder=$1
  shift
  "$SGF" train world-tiny "${SMALL[@]}" --set video.frames=6 --quiet --out "$folder" "$@" >"$LOG" 2>&1 &
  PROCESS=$!
}
