# What checks of the program share: a complaint is printed and remembered in FAILED, and the check goes on.
# shellcheck shell=bash disable=SC2034 # FAILED is read by those that source it

FAILED=0

complain() {
  echo "FAIL: $*"
  FAILED=1
}

# expect CODE TEXT COMMAND…: the exit code, and a piece of text on either stream.
expect() {
  local code=$1 text=$2 output came
  shift 2
  output=$("$@" 2>&1)
  came=$?
  [[ $came == "$code" && $output == *"$text"* ]] ||
    complain "$*: exit $came, expected $code and '$text', said: $output"
}
