#compdef mockserver brevo-mockserver
# Completion of the command mockserver for zsh, written by `mockserver completion zsh`.
# It asks the program itself what fits, so that it knows the options of the version that is installed.

_mockserver() {
    local line kind=''
    local -a rows
    for line in "${(@f)$("${(@Q)words[1]}" __complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
        case $line in
            :*) kind=${line#:} ;;
            ?*) rows+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
        esac
    done
    case $kind in
        file) compset -P '--[^=]#='; _files ;;
        folder) compset -P '--[^=]#='; _files -/ ;;
        *) _describe 'mockserver' rows ;;
    esac
}

# As a file in the path of functions it is the function itself; read by `source` it declares it.
if [[ ${funcstack[1]} == _mockserver ]]; then
    _mockserver "$@"
else
    (( ${+functions[compdef]} )) || { autoload -Uz compinit && compinit; }
    compdef _mockserver mockserver brevo-mockserver
fi
