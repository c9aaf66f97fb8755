package runstate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"wf/executor"
	"wf/executor/ownfile"
	"wf/scheduler/expression"
)

// OutputsDir is the name of the folder, in the folder of a run, with the output files of its executions.
const OutputsDir = "outputs"

// maxOutputs bounds the outputs of one execution, in bytes.
const maxOutputs = 1 << 20

// OutputFile returns the path of the file that an execution writes its outputs to. dir is the folder of the run.
func OutputFile(dir string, id executor.ID) string {
	return dir + "/" + OutputsDir + "/" + OutputName(id)
}

// OutputName returns the name of that file.
func OutputName(id executor.ID) string {
	return strconv.Itoa(id.Node) + "-" + strconv.Itoa(id.Execution)
}

// ReadOutputs reads the outputs of an execution. raw is the same as JSON; it is nil if there are no outputs.
func ReadOutputs(dir string, id executor.ID) (values map[string]any, raw []byte, err error) {
	data, err := ownfile.Read(OutputFile(dir, id), maxOutputs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, nil
	case err != nil:
		return nil, nil, fmt.Errorf("its outputs (WF_OUTPUT) cannot be used: %w", err)
	}
	if values, err = expression.ParseOutputs(data); err != nil {
		return nil, nil, fmt.Errorf("its outputs (WF_OUTPUT) cannot be used: %w", err)
	}
	if len(values) == 0 {
		return nil, nil, nil
	}
	raw, err = json.Marshal(values)
	return values, raw, err
}

// OutputsNow returns the present outputs of a node. A command that follows the node may ask before the daemon has the report
// of the node's end, or even of its start, so OutputsNow reads the files first.
func (r *State) OutputsNow(i int) map[string]any {
	known := r.Sched.Executions(i)
	live := r.Nodes[i].Execution != nil && r.Nodes[i].Execution.Live
	for _, execution := range []int{known + 1, known} {
		if execution == known && !live {
			break
		}
		if values, _, err := ReadOutputs(r.Dir, executor.ID{Node: i, Execution: execution}); err == nil && values != nil {
			return values
		}
	}
	return r.KnownOutputs(i)
}
