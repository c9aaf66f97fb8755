package runstate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"wf/executor/ownfile"
	"wf/executor/shell"
	"wf/graph"
	"wf/scheduler"
	"wf/scheduler/expression"
	"wf/scheduler/flow"
	"wf/workspace/history"
)

// Options returns the scheduler options for a new run or for a replay. They depend only on the folder of the run and on the
// environment that the executor keeps.
func Options(req history.Request, f *flow.Flow, past scheduler.Prior, env []string) (scheduler.Options, error) {
	opt := scheduler.Options{MaxActivations: req.MaxActivations, MaxInstances: req.MaxInstances, FailFast: req.FailFast}
	if f == nil || f.Plain() && len(req.Mocks) == 0 {
		return opt, nil
	}
	opt.Flow, opt.Prior, opt.Seed = f, past, req.Seed
	opt.Run = expression.Run{ID: history.RunID(req.Run), Workfile: req.Workfile}
	if t := req.Trigger; t != nil {
		opt.Run.Trigger, opt.Run.TriggerTime, opt.Run.TriggerEvent = t.Name, t.Time.Format(time.RFC3339), t.Event
		opt.Run.TriggerFiles = req.TriggerFiles
	}
	opt.Variable = Variable(env)
	if len(req.Again) > 0 {
		opt.Repeat = make(map[string]bool, len(req.Again))
		for _, path := range req.Again {
			opt.Repeat[path] = true
		}
	}
	var params expression.Values
	for what, to := range map[string]struct {
		data json.RawMessage
		into any
	}{"parameters": {req.Params, &params}, "mocks": {req.Mocks, &opt.Mocks}} {
		if len(to.data) == 0 {
			continue
		}
		if err := json.Unmarshal(to.data, to.into); err != nil {
			return opt, fmt.Errorf("the %s of the run: %w", what, err)
		}
	}
	opt.Variable = hideSecrets(f, opt.Variable)
	for _, p := range f.Params {
		if p.Type != flow.Secret || params[p.Name] == nil {
			continue
		}
		if value := Variable(env)(flow.ParamVariable(p.Name)); value != "" {
			params[p.Name] = value // the environment is removed when the run ends
		}
	}
	opt.Params = params
	return opt, nil
}

// Variable returns a function that looks up variables in an environment. The last definition of a name counts.
func Variable(env []string) func(name string) string {
	return func(name string) string {
		for i := len(env) - 1; i >= 0; i-- {
			if key, value, _ := strings.Cut(env[i], "="); key == name {
				return value
			}
		}
		return ""
	}
}

// PriorFile is the name of the file with the prior state. The folder of a run contains the prior state that the run started
// with; the folder of the workspace contains that for the next run.
const PriorFile = "past.json"

// maxPrior bounds the size of that file, in bytes.
const maxPrior = 1 << 30

// ReadPrior reads a file with a prior state. It returns nil if the file does not exist.
func ReadPrior(path string) (scheduler.Prior, error) {
	data, err := ownfile.Read(path, maxPrior)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var past scheduler.Prior
	if err := json.Unmarshal(data, &past); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return past, nil
}

// PlainPrior returns the prior state that a run without control flow leaves, which is the outputs of its commands.
func (r *State) PlainPrior() scheduler.Prior {
	past := scheduler.Prior{}
	for i := range r.Nodes {
		if rec := r.Nodes[i].Execution; rec != nil && rec.Run == r.Number && len(rec.Outputs) > 0 {
			past[r.Nodes[i].ID] = PriorOf(rec)
		}
	}
	return past
}

func PriorOf(rec *Execution) scheduler.PriorNode {
	p := scheduler.PriorNode{Status: rec.Status, Reason: string(rec.Reason), Outputs: rec.Outputs, Stdout: rec.Stdout}
	if code := rec.Exit(); code != nil {
		p.Exit, p.HasExit = *code, true
	}
	return p
}

// InPrior reports whether the prior state contains a node of this run.
func (r *State) InPrior(past scheduler.Prior) bool {
	for id := range past {
		if _, ours := r.Sched.Index(id); ours {
			return true
		}
	}
	return false
}

// InstancePrefixes returns the path prefixes of all instances of the run.
func (r *State) InstancePrefixes() (prefixes []string) {
	for i := range r.OuterNodes() {
		if r.Sched.Members(i) > 0 {
			prefixes = append(prefixes, strings.TrimSuffix(r.Sched.InstancePath(i, 0), "0]"))
		}
	}
	return prefixes
}

// Merges reports whether a node writes both streams to one output. A command that lists the items of a sub-flow never does,
// because its standard error contains no items.
func (r *State) Merges(i int) bool {
	if r.Sched.ItemsCommand(i) != "" {
		return false
	}
	if own := r.Nodes[i].output; own != graph.OutputUnsaid {
		return own == graph.OutputMerged
	}
	return r.Request.Output == graph.OutputMerged.String()
}

// Line returns the command line for the next execution of a node.
func (r *State) Line(i int) string {
	command := r.Sched.ItemsCommand(i)
	if command == "" {
		command = r.Nodes[i].Command
	}
	if len(r.Request.Surroundings) == 0 {
		return shell.Line(r.Request.Wrapper, command)
	}
	return LineOf(r, r.Sched.Template(i), command)
}

// hideSecrets wraps a lookup of variables, because expressions must not see secret variables.
func hideSecrets(f *flow.Flow, look func(name string) string) func(name string) string {
	if len(f.Secrets.Names) == 0 {
		return look
	}
	return func(name string) string {
		if slices.Contains(f.Secrets.Names, name) {
			return ""
		}
		return look(name)
	}
}
