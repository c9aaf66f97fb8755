package runner

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"wf/executor/ownfile"
	"wf/executor/rundir"
	"wf/executor/wire"
)

// AroundOption makes a runner's program supervise one execution with hooks:
//
//	runner --around FILE
//
// The runner forks this supervisor in place of the command. For the runner, for stops and for every recovery it is the command:
// the supervisor leads its session and ends with its exit code or signal, and it outlives runner and daemon. So hooks need no
// records of their own, and a crash of these cannot make the command or a hook run twice.
const AroundOption = "--around"

// A supervision is the content of the file that a supervisor gets.
type supervision struct {
	wire.Around
	Path   string   `json:"path"` // of the program that executes the command
	Argv   []string `json:"argv"`
	Output string   `json:"output"` // the file with the output of the command
	Start  int64    `json:"start"`  // where that begins in the file, in bytes
}

// supervised returns the command line of the supervisor of e, whose command is started with path and argv.
func (c *commands) supervised(e *execution, path string, argv []string) (string, []string, error) {
	text, err := json.Marshal(supervision{Around: *e.job.Around, Path: path, Argv: argv,
		Output: filepath.Join(c.dir, rundir.OutputFolder, rundir.OutputName(e.number, "out")), Start: e.out[0]})
	if err != nil {
		return "", nil, fmt.Errorf("its hooks: %w", err)
	}
	file, err := c.keepFile(e, rundir.AroundFile, string(text))
	if err != nil {
		return "", nil, err
	}
	program := "/proc/self/exe" // also if the program was replaced meanwhile
	if runtime.GOOS != "linux" {
		if program, err = os.Executable(); err != nil {
			return "", nil, err
		}
	}
	return program, []string{"wf", "runner", AroundOption, file}, nil
}

// mostSupervision bounds what is read of the file of a supervisor, in bytes: a few hooks, and the arguments of a process.
const mostSupervision = 64 << 20

// superviseFrom supervises the execution that a file describes. It returns the exit code of the process, unless the process has
// to end by a signal.
func superviseFrom(file string) int {
	s := &supervisor{}
	data, err := ownfile.Read(file, mostSupervision)
	if err == nil {
		err = json.Unmarshal(data, &s.task)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "wf: the hooks of this command cannot be read:", err)
		return 1
	}
	return s.run()
}
