#compdef wf
compdef _wf wf

# zsh completion of wf. It hands the words to wf as they stand and takes over the answer: nothing in the
# words or in the answer is evaluated.

_wf() {
    local answer
    local -a offers space
    for answer in "${(@f)$(command wf __line zsh "${(j: :)words[1,CURRENT-1]} $PREFIX" 2>/dev/null)}"; do
        case $answer in
        ($'\t'nospace) space=(-S '') ;;
        ($'\t'*) compadd -x "${answer[2,-1]}" ;; # a hint
        (?*) offers+=("$answer") ;;
        esac
    done
    [[ $PREFIX == -*=* ]] && compset -P 1 '*='
    _describe -V 'completions' offers "${space[@]}"
}

# The file is also the function itself, where zsh loads it.
if [ "$funcstack[1]" = "_wf" ]; then
    _wf
fi
