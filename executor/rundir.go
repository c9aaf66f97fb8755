package executor

import (
	"strconv"
)

// The files in the folder of a run.
const (
	lockFile        = "lock"       // locked by the runner as long as it lives; contains the entry count of the runner log
	logFile         = "runner.log" // standard error of the runners
	recordFile      = "record"     // the runner log
	environmentFile = "env"        // the environment of the commands, as NUL-terminated KEY=VALUE, while the run lasts
	outputFolder    = "out"        // the outputs of the commands
)

// outputName returns the name of an output file of a slot; stream is "out", "err" or SamplesExtension.
func outputName(number int, stream string) string {
	return "s" + strconv.Itoa(number) + "." + stream
}
