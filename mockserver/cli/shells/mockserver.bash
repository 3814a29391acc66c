# Completion of the command mockserver for bash, written by `mockserver completion bash`.
# It asks the program itself what fits, so that it knows the options of the version that is installed.

_mockserver_complete() {
    local word words=() line kind='' last typed i
    # To bash, = and : are words of their own; what they connect is one word to the program.
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if ((${#words[@]})) && [[ $word == [=:]* || ${COMP_WORDS[i - 1]} == *[=:] ]]; then
            words[${#words[@]} - 1]+=$word
        else
            words+=("$word")
        fi
    done
    last=${words[${#words[@]} - 1]}
    # What of the last word bash does not replace.
    typed=${last%"${last##*[=:]}"}
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
            :*) kind=${line#:} ;;
            *)
                line=${line%%$'\t'*}
                COMPREPLY+=("${line#"$typed"}")
                ;;
        esac
    done < <("${COMP_WORDS[0]}" __complete -- "${words[@]}" 2>/dev/null)
    # bash 3.2, which macOS has, knows no compopt: there the names of files are offered always.
    case $kind in
        file) compopt -o default 2>/dev/null ;;
        folder) compopt -o dirnames 2>/dev/null ;;
    esac
    return 0
}

if ((BASH_VERSINFO[0] < 4)); then
    complete -o default -F _mockserver_complete mockserver brevo-mockserver
else
    complete -F _mockserver_complete mockserver brevo-mockserver
fi
