# bash completion of wf. It hands the line to wf as it stands and takes over the answer: nothing in the
# line or in the answer is evaluated, and the package bash-completion is not needed.
# For an alias: complete -o nospace -F __start_wf ALIAS

__start_wf() {
    local answer
    COMPREPLY=()
    compopt -o nosort 2>/dev/null # bash 4.4; older ones sort by themselves
    while IFS= read -r answer; do
        case $answer in
        $'\t'*) printf '\n%s' "${answer:1}" ;; # a hint
        *) COMPREPLY[${#COMPREPLY[@]}]=$answer ;;
        esac
    done < <(command wf __line bash "${COMP_LINE:0:COMP_POINT}" "$2" "${COLUMNS:-80}" "${COMP_TYPE:-9}" 2>/dev/null)
}

# A space after a word is part of the answer.
complete -o nospace -F __start_wf wf
