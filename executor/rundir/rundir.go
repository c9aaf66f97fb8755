// Package rundir is the folder of a run: the names of its files, the environment file, the samples of output sizes, and
// which processes belong to the run. The entries of the runner log are in package wire.
package rundir

import (
	"path/filepath"
	"strconv"
)

// The files in the folder of a run.
const (
	LockFile        = "lock"       // locked by the runner as long as it lives; contains the entry count of the runner log
	StderrFile      = "runner.log" // standard error of the runners
	RunnerLogFile   = "record"     // the runner log
	EnvironmentFile = "env"        // the environment of the commands, as NUL-terminated KEY=VALUE, while the run lasts
	OutputFolder    = "out"        // the outputs of the commands
	// VariablesFile has the variables that commands get from files of the workfile, as JSON, while the run lasts.
	VariablesFile = "variables"
)

// The files of one execution, see JobFile. They are removed when it ends.
const (
	ScriptFile = "script" // a command that is too long for an argument
	InputFile  = "input"  // the values of the command
	AroundFile = "around" // what its supervisor does
	BoxFile    = "box"    // what can kill its box
	BoxIDFile  = "cid"    // the id of its box, which the engine writes
)

// JobFile returns the path of a file of an execution in the folder of its run.
func JobFile(dir, kind string, node, execution int) string {
	return filepath.Join(dir, kind+"-"+strconv.Itoa(node)+"."+strconv.Itoa(execution))
}

// OutputName returns the name of an output file of a slot; stream is "out", "err" or SamplesExtension.
func OutputName(number int, stream string) string {
	return "s" + strconv.Itoa(number) + "." + stream
}
