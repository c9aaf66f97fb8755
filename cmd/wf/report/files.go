package report

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"wf/api"
	"wf/client"
	"wf/client/runview"
	"wf/cmd/wf/ci"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/progress"
	"wf/graph/pattern"
	"wf/tui/plain"
	"wf/tui/tail"
	"wf/tui/words"
)

// A File is a report that --report asks for: a kind and a path.
type File struct{ Kind, Path string }

// writers are the kinds of reports.
var writers = map[string]func(io.Writer, *Account) error{
	"junit": writeJUnit,
	"md":    writeMarkdown,
	"json":  func(w io.Writer, a *Account) error { return console.WriteJSON(w, a.detail) },
}

// Kinds returns the names of the kinds.
func Kinds() []string { return slices.Sorted(maps.Keys(writers)) }

// ParseFile parses the value of --report, KIND=FILE.
func ParseFile(text string) (File, error) {
	kind, path, _ := strings.Cut(text, "=")
	if path == "" || writers[kind] == nil {
		return File{}, errors.New("must be junit=FILE, md=FILE or json=FILE")
	}
	return File{kind, path}, nil
}

// CheckFiles refuses reports in missing folders, before the run starts.
func CheckFiles(c *console.Console, files []File) error {
	for _, r := range files {
		dir := filepath.Dir(c.Abs(r.Path))
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return exit.Usage("--report %s=%s: no folder %s", r.Kind, r.Path, dir)
		}
	}
	return nil
}

// An Account is the data of a finished run for reports.
type Account struct {
	workfile string
	detail   api.RunDetail
	cases    []testCase
}

// testCase is a node of the run.
type testCase struct {
	name  string
	class string // its group, its sub-flow, the common part of the names of its stage, or the workfile
	exec  *api.Execution
	state api.State
	tail  tail.Tail // the end of the output of a failed node

	mocked, handled bool   // see api.NodeStatus
	upToDate        string // see words.UpToDate
	status          api.NodeStatus
}

// maxTails limits the outputs that are read for a report.
const maxTails = 200

// Collect collects the data for reports about a run.
func Collect(ctx context.Context, s *progress.Target, run string) (*Account, error) {
	detail, err := s.Workspace.Run(ctx, run)
	if err != nil {
		return nil, err
	}
	status, err := s.Workspace.Status(ctx, true)
	if err != nil {
		return nil, err
	}
	a := &Account{workfile: plain.Line(filepath.Base(s.Path)), detail: detail}
	last := make(map[string]*api.Execution, len(detail.Execs))
	for i := range detail.Execs {
		last[detail.Execs[i].Node] = &detail.Execs[i]
	}
	tails := 0
	addTail := func(c *testCase) {
		if x := c.exec; c.state == api.StateFailed && x != nil && tails < maxTails {
			tails++
			// The report does without an output that cannot be read.
			c.tail, _ = tail.Read(ctx, s.Workspace, client.LogQuery{Node: x.Node, Run: run, Execution: x.Execution})
		}
	}
	for _, n := range status.Nodes {
		x := last[n.ID]
		delete(last, n.ID)
		if x == nil && (n.Run != run || n.State == api.StateOK && !n.Mocked && !n.UpToDate || n.Container && n.Instances == nil) {
			continue // not in the run, or kept from an earlier one
		}
		if n.SubFlow == "" && ofSubFlow(n, status.Nodes) {
			continue // its instances are cases of their own
		}
		if n.Container && n.Reason == api.ReasonInstances {
			continue // the failed instances are cases of their own
		}
		c := testCase{name: plain.Line(n.Name), class: plain.Line(n.Group), exec: x, state: n.State,
			mocked: n.Mocked, handled: n.Handled, upToDate: words.UpToDate(&n), status: n}
		if x != nil && n.State != api.StateSkipped && !n.Container {
			c.state, c.handled = outcome(x), x.Handled
		}
		addTail(&c)
		a.cases = append(a.cases, c)
	}
	for i := range detail.Execs { // nodes of instances, and nodes that were deleted during the run
		if x := &detail.Execs[i]; last[x.Node] == x {
			c := testCase{name: plain.Line(x.Name), exec: x, state: outcome(x), handled: x.Handled}
			addTail(&c)
			a.cases = append(a.cases, c)
		}
	}
	a.classify()
	return a, nil
}

// indices matches the indices of instances in a path.
var indices = pattern.Of(`\[[^\]/]*\]`)

// classify sets the class of cases that have no group.
func (a *Account) classify() {
	stages := map[string]int{}
	for i := range a.cases {
		stages[runview.StageName(a.cases[i].name, "")]++
	}
	for i := range a.cases {
		c := &a.cases[i]
		if c.class != "" {
			continue
		}
		stage := runview.StageName(c.name, "")
		switch end := strings.LastIndex(c.name, "]/"); {
		case end >= 0:
			c.class = indices.Get().ReplaceAllString(c.name[:end+1], "")
		case stages[stage] > 1:
			c.class = stage
		default:
			c.class = strings.TrimSuffix(a.workfile, filepath.Ext(a.workfile))
		}
	}
}

// outcome returns the state of a node after an execution.
func outcome(x *api.Execution) api.State {
	switch {
	case x.OK:
		return api.StateOK
	case x.Reason == api.ReasonCancelled:
		return api.StateCancelled
	}
	return api.StateFailed
}

// took returns the duration of the last execution.
func (c *testCase) took() time.Duration {
	if c.exec == nil || c.exec.DurationMS == nil {
		return 0
	}
	return time.Duration(*c.exec.DurationMS) * time.Millisecond
}

// why says why a node did not succeed.
func (c *testCase) why() string {
	n := c.status
	switch {
	case c.state == api.StateIdle:
		return "not reached"
	case c.state == api.StateSkipped:
		return "skipped: no path leads to it"
	case c.exec == nil && c.state == api.StateFailed:
		return words.Cause(n.Reason, n.ExitCode, n.Signal, n.Message) + ci.HandledText(c.handled)
	case c.exec == nil || c.state == api.StateCancelled:
		return string(c.state)
	}
	return words.Cause(c.exec.Reason, c.exec.ExitCode, c.exec.Signal, c.exec.Message) + ci.HandledText(c.handled)
}

// Write writes a report of a kind to path. It replaces a regular file as a whole, and writes into devices, pipes and links.
func (a *Account) Write(kind, path string) error {
	write := writers[kind]
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return writeInto(path, a, write)
	}
	return replaceReport(path, a, write)
}

// writeInto writes into a device, pipe or link. It does not wait for a reader of a pipe, because there may never be one.
func writeInto(path string, a *Account, write func(io.Writer, *Account) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|unix.O_NONBLOCK, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(write(f, a), f.Close())
}

func replaceReport(path string, a *Account, write func(io.Writer, *Account) error) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".wf-report-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // fails after the rename
	if err := errors.Join(write(tmp, a), tmp.Chmod(0o644), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// AppendSummary appends the report in Markdown to a file.
func (a *Account) AppendSummary(path string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(writeMarkdown(f, a), f.Close())
}

// ofSubFlow says whether a node is inside a sub-flow, so that it stands for the nodes of all instances.
func ofSubFlow(n api.NodeStatus, all []api.NodeStatus) bool {
	for _, c := range all {
		if c.ID == n.Parent && n.Parent != "" {
			return c.SubFlow != "" || ofSubFlow(c, all)
		}
	}
	return false
}
