# fish completion of wf. It hands the line to wf as it stands and takes over the answer: nothing in the
# line or in the answer is evaluated.

function __wf_complete
    command wf __line fish (commandline -cp | string join \n) 2>/dev/null
end

complete -c wf -e
complete -c wf -f -k -a '(__wf_complete)'
