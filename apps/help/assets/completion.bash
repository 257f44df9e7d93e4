# bash completion for sgf. Use it now: source <(sgf completion bash)
_sgf_config_keys={{config_keys}}

# Folders of runs that begin with the text: there is a config.yaml in each.
_sgf_runs() {
  local file
  for file in "$1"*/config.yaml "$1"*/*/config.yaml runs/*/config.yaml; do
    file=${file%/config.yaml}
    if [[ -f $file/config.yaml && $file == "$1"* ]]; then printf '%s\n' "$file"; fi
  done | sort -u
}

_sgf() {
  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local command='' choices='' way='' options='' positionals='' word list=''
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ $word == -* || (-z $command && $word == help) ]]; then continue; fi
    # A command of a command goes by both words; other words that follow are arguments.
    case "$command $word" in
{{below}}
    *) if [[ -z $command ]]; then command=$word; fi ;;
    esac
  done
  COMPREPLY=()
  case "$command $before" in
{{values}}
  esac
  case $command in
{{words}}
  esac
  if [[ -z $way ]]; then
    choices=$positionals
    if [[ $current == -* ]]; then choices=$options; fi
  fi
  if [[ $way == keys ]]; then
    choices=$_sgf_config_keys
    compopt -o nospace 2>/dev/null
  fi
  if [[ $way == list && $current == *,* ]]; then
    list=${current%,*},
    current=${current##*,}
  fi
  if [[ $way == words ]]; then compopt +o default 2>/dev/null; fi
  # Nothing to offer means file names, which readline completes itself.
  if [[ -n $choices ]]; then mapfile -t COMPREPLY < <(compgen -P "$list" -W "$choices" -- "$current"); fi
  if [[ $way == runs ]]; then mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(_sgf_runs "$current"); fi
  if [[ $way == folders ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "$current")
  fi
}
complete -o default -F _sgf sgf
