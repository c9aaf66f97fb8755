// Package rundir is the folder of a run: the names of its files, the environment file, the samples of output sizes, and
// which processes belong to the run. The entries of the runner log are in package wire.
package rundir

import "strconv"

// The files in the folder of a run.
const (
	LockFile        = "lock"       // locked by the runner as long as it lives; contains the entry count of the runner log
	StderrFile      = "runner.log" // standard error of the runners
	RunnerLogFile   = "record"     // the runner log
	EnvironmentFile = "env"        // the environment of the commands, as NUL-terminated KEY=VALUE, while the run lasts
	OutputFolder    = "out"        // the outputs of the commands
)

// OutputName returns the name of an output file of a slot; stream is "out", "err" or SamplesExtension.
func OutputName(number int, stream string) string {
	return "s" + strconv.Itoa(number) + "." + stream
}
