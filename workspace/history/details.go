package history

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"wf/executor/rundir"
)

// Details is a run as read from its files, whether it is over or not.
type Details struct {
	Request    Request
	Executions []Execution // in order of dispatch
	Stops      []Record    // stop and cancel, in order
	Decisions  []Record    // decide and answer, in order
	Result     *Result     // nil while the run is not over
	Problem    string      // damage of its files, for display; "" = none
}

// Execution is one process of a run.
type Execution struct {
	Node   int    // index in Request.Scope
	ID     string // of the node
	Number int    // among the executions of the node, from 1

	Dispatched, Started, Ended time.Time // zero: not (yet)
	PID                        int
	Command                    string          // after wrapping
	Inputs                     json.RawMessage // see Record

	Over     bool // the fields below are set
	OK       bool
	Reason   string
	ExitCode int
	Signal   int
	Message  string
	UserMS   int64
	SysMS    int64

	PeakBytes int64
	Engine    EngineJob // zero = none is known

	Out, Err rundir.Range // End is -1 while it runs
}

// Load reads run n, which another process may be writing. Damage is not an error: Load returns the
// readable part and describes the damage in Problem. Errors are ErrNoRun and an inaccessible folder.
func (s *Store) Load(n int) (*Details, error) {
	if err := s.exists(n); err != nil {
		return nil, err
	}
	p := &Details{}
	var problems []string
	var err error
	if p.Request, err = readRequest(s.disk, s.file(n, requestFile)); err != nil {
		problems = append(problems, err.Error())
		p.Request.Run = n
	}
	f := fold{past: p, latest: make([]int32, len(p.Request.Scope)), at: make(map[[2]int]int)}
	p.Executions = make([]Execution, 0, len(p.Request.Scope)) // one each, mostly
	info, err := readLog(s.disk, s.file(n, journalFile), scopeReader(p.Request.Scope, f.add))
	if err != nil {
		problems = append(problems, err.Error())
	}
	// A job that was dispatched and has not started, or was withdrawn, is not an execution.
	p.Executions = slices.DeleteFunc(p.Executions, func(x Execution) bool { return !x.Over && x.Started.IsZero() })
	if info.Torn > 0 {
		problems = append(problems, fmt.Sprintf("the journal ends with %d bytes of an incomplete record", info.Torn))
	}
	if res, over := s.result(n); over {
		p.Result = res
	}
	p.Problem = strings.Join(problems, "; ")
	return p, nil
}

// fold turns records into executions.
type fold struct {
	past   *Details
	latest []int32        // by node: index plus one in past.Executions of the execution that was added last; 0 = none
	at     map[[2]int]int // node and number → index, of all others
}

func (f *fold) add(r *Record) error {
	switch r.Type {
	case RecordDispatch:
		x := f.execution(r)
		x.Dispatched, x.Inputs = r.Time, r.Inputs
	case RecordStart:
		x := f.execution(r)
		x.Started, x.PID, x.Out, x.Err = r.Time, r.PID, r.Out, r.Err
		x.Engine.apply(r.Engine)
	case RecordEnd:
		x := f.execution(r)
		x.Ended, x.Over, x.OK = r.Time, true, r.OK
		x.Reason, x.ExitCode, x.Signal, x.Message = r.Reason, r.ExitCode, r.Signal, r.Message
		x.UserMS, x.SysMS, x.PeakBytes = r.UserMS, r.SysMS, r.PeakBytes
		x.Engine.apply(r.Engine)
		x.Out, x.Err = rangeOf(r.Out, x.Out), rangeOf(r.Err, x.Err)
	case RecordClock:
		f.clockSet(r)
	case RecordStop, RecordCancel:
		f.past.Stops = append(f.past.Stops, *r)
	case RecordDecide, RecordAnswer:
		f.past.Decisions = append(f.past.Decisions, *r)
	case RecordComplete:
		f.past.Result = r.Result
	}
	return nil
}

// apply adds what a later record contains.
func (j *EngineJob) apply(later *EngineJob) {
	if later != nil {
		j.Executor, j.ID, j.Host = later.Executor, cmp.Or(later.ID, j.ID), cmp.Or(later.Host, j.Host)
	}
}

// clockSet shifts the start of running executions after the clock was set, so that durations are right.
func (f *fold) clockSet(r *Record) {
	if r.Clocks == nil {
		return
	}
	for i := range f.past.Executions {
		if x := &f.past.Executions[i]; !x.Over && !x.Started.IsZero() {
			x.Started = x.Started.Add(time.Duration(r.Clocks.ByNS))
		}
	}
}

// rangeOf returns the range of the end record, or that of the start record for an execution that was lost.
func rangeOf(end, start rundir.Range) rundir.Range {
	if end.File == "" {
		return start
	}
	return end
}

// execution returns the execution of r, and adds it if r is its first record.
func (f *fold) execution(r *Record) *Execution {
	x := f.known(r)
	if x == nil {
		f.past.Executions = append(f.past.Executions, Execution{Node: r.Node, ID: r.ID, Number: r.Execution})
		i := len(f.past.Executions) - 1
		x = &f.past.Executions[i]
		if r.Node < 0 || r.Node >= len(f.latest) {
			f.at[[2]int{r.Node, r.Execution}] = i
		} else {
			if before := f.latest[r.Node]; before > 0 {
				f.at[[2]int{r.Node, f.past.Executions[before-1].Number}] = int(before) - 1
			}
			f.latest[r.Node] = int32(i + 1)
		}
	}
	if r.Command != "" {
		x.Command = r.Command
	}
	return x
}

// known returns the execution of r, or nil if r is its first record.
func (f *fold) known(r *Record) *Execution {
	if r.Node >= 0 && r.Node < len(f.latest) && f.latest[r.Node] > 0 {
		if x := &f.past.Executions[f.latest[r.Node]-1]; x.Number == r.Execution {
			return x
		}
	}
	if i, known := f.at[[2]int{r.Node, r.Execution}]; known {
		return &f.past.Executions[i]
	}
	return nil
}
