#compdef sgf
# zsh completion for sgf. Use it now: source <(sgf completion zsh)
_sgf_config_keys() {
  compadd -S '=' -- {{config_keys}}
}
# Folders of runs, each with a config.yaml in it, and other files.
_sgf_runs() {
  local -a runs
  runs=($PREFIX*/config.yaml(N:h) runs/*/config.yaml(N:h))
  if (($#runs)); then compadd -- ${(u)runs}; fi
  _files
}
# The names given, and files, folders or runs.
_sgf_or_files() { _alternative "names:name:($*)" 'files:file:_files' }
_sgf_or_folders() { _alternative "names:name:($*)" 'folders:folder:_files -/' }
_sgf_or_runs() { _alternative "names:name:($*)" 'runs:run:_sgf_runs' }
_sgf() {
  local -a commands
  commands=(
{{list}}
  )
  if ((CURRENT == 2)); then
    if [[ $words[2] == -* ]]; then
{{own}}
    else
      _describe -t commands 'sgf command' commands
    fi
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  if [[ "$command $words[2]" == ({{below}}) ]] && ((CURRENT > 2)); then
    command="$command $words[2]"
    shift words
    ((CURRENT--))
  fi
  case $command in
{{cases}}
  esac
}
# Autoloaded from $fpath it is called; sourced it registers itself.
if [[ ${funcstack[1]-} == _sgf ]]; then _sgf "$@"; else compdef _sgf sgf; fi
