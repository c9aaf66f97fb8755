package runner

import (
	"fmt"
	"os"
	"path/filepath"

	"wf/executor/rundir"
	"wf/executor/shell"
)

// scriptCall replaces a script that is too long for an argument of a shell by a file with the script. The file is
// removed when the execution ends.
func (c *commands) scriptCall(e *execution, argv []string) ([]string, error) {
	if len(e.job.Command) < shell.MaxString { // no argument is longer than the command
		return argv, nil
	}
	last := len(argv) - 1
	for i, arg := range argv {
		if len(arg) < shell.MaxString {
			continue
		}
		if i != last || i < 2 || argv[i-1] != "-c" || !shell.IsShell(filepath.Base(argv[0])) && !shell.IsShell(filepath.Base(argv[i-2])) {
			return nil, fmt.Errorf("an argument of its command has %d bytes, and the kernel allows %d: put the text into a file", len(arg), shell.MaxString-1)
		}
		path, err := c.keepFile(e, rundir.ScriptFile, arg)
		if err != nil {
			return nil, err
		}
		return append(argv[:i-1:i-1], path), nil
	}
	return argv, nil
}

// keepFile writes a file of an execution into the folder of the run.
func (c *commands) keepFile(e *execution, what, text string) (string, error) {
	path := c.fileOf(e, what)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return "", fmt.Errorf("write its %s: %w", what, err)
	}
	e.files = append(e.files, path)
	return path, nil
}

func (c *commands) fileOf(e *execution, what string) string {
	return rundir.JobFile(c.dir, what, e.job.ID.Node, e.job.ID.Execution)
}

// dropFiles removes the files that this or an earlier runner has written for an execution.
func (c *commands) dropFiles(e *execution) {
	if e.adopted {
		for _, kind := range []string{rundir.ScriptFile, rundir.InputFile, rundir.AroundFile, rundir.BoxFile, rundir.BoxIDFile} {
			e.files = append(e.files, c.fileOf(e, kind))
		}
	}
	for _, path := range e.files {
		os.Remove(path) // an error does not matter: the folder of the run is removed later
	}
	e.files = nil
}

// values returns the variables of a job in the form NAME=value. If its command mentions WF_INPUT, they are also written into
// a file. The error names a variable that no program can get.
func (c *commands) values(e *execution) ([]string, error) {
	env, file, err := shell.Values(e.job.Command, e.job.Env)
	if err != nil || file == nil {
		return env, err
	}
	path, err := c.keepFile(e, rundir.InputFile, string(file))
	if err != nil {
		return nil, err
	}
	return append(env, shell.InputVariable+"="+path), nil
}
