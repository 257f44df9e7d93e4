# fish completion for sgf. Use it now: sgf completion fish | source
# The command as far as it is written; a command of a command goes by both words.
function __sgf_at
    set -l written (commandline -opc)
    set -e written[1]
    set -l command ''
    for word in $written
        if string match -q -- '-*' $word
            continue
        else if contains -- "$command $word" {{below}}
            set command "$command $word"
        else if test -z "$command"
            set command $word
        end
    end
    test "$command" = "$argv[1]"
end
function __sgf_config_keys
    printf '%s=\n' {{config_keys}}
end
# Folders of runs: there is a config.yaml in each.
function __sgf_runs
    for file in */config.yaml runs/*/config.yaml (commandline -ct)*/config.yaml
        string replace -r '/config.yaml$' '' -- $file
    end
end
# Names separated by commas.
function __sgf_list
    set -l before (string match -r '.*,' -- (commandline -ct))
    printf "$before%s\n" $argv
end
complete -c sgf -f
{{commands}}
