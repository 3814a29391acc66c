# Completion of the command mockserver for fish, written by `mockserver completion fish`.
# It asks the program itself what fits, so that it knows the options of the version that is installed.

function __mockserver_complete
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    # Of `--out=FILE` a file is the end alone.
    set -l typed (string match -r -- '^--[^=]+=' "$last"); or set typed ''
    set -l value (string replace -r -- '^--[^=]+=' '' "$last")
    for line in ($words[1] __complete -- $words[2..-1] "$last" 2>/dev/null)
        switch $line
            case ':file'
                printf '%s\n' $typed(__fish_complete_path "$value")
            case ':folder'
                printf '%s\n' $typed(__fish_complete_directories "$value" '')
            case ':*'
            case '*'
                echo $line
        end
    end
end

complete -c mockserver -f -a '(__mockserver_complete)'
complete -c brevo-mockserver -f -a '(__mockserver_complete)'
