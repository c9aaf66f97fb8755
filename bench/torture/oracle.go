package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"wf/api"
	"wf/graphml"
)

// A seen is the outside view of a run that is over.
type seen struct {
	trace    trace
	detail   api.RunDetail     // wf runs show
	statuses map[string]string // in the workfile
	logs     map[string][]byte // wf logs --raw, of executed nodes that were not lost
}

// look asks wf about run 1 of the workflow in dir.
func (w *world) look(ctx context.Context, dir string) (*seen, error) {
	s := &seen{}
	var err error
	if s.trace, err = readTrace(dir); err != nil {
		return nil, err
	}
	if err := w.json(ctx, dir, &s.detail, "runs", "show", "1", "--json"); err != nil {
		return nil, err
	}
	if s.statuses, err = readStatuses(dir); err != nil {
		return nil, err
	}
	s.logs, err = w.readLogs(ctx, dir, s.detail)
	return s, err
}

func readStatuses(dir string) (map[string]string, error) {
	data, err := os.ReadFile(filepath.Join(dir, "Workfile"))
	if err != nil {
		return nil, err
	}
	_, g, _, err := graphml.Parse(data, graphml.Limits{})
	if err != nil {
		return nil, err
	}
	statuses := map[string]string{}
	for _, n := range g.Nodes() {
		statuses[n.ID] = n.Status.String()
	}
	return statuses, nil
}

// readLogs gets the logs of all nodes together, since each command costs a process, and splits the output
// at the titles, which no node prints.
func (w *world) readLogs(ctx context.Context, dir string, detail api.RunDetail) (map[string][]byte, error) {
	args := []string{"logs", "--raw", "--run", detail.Run}
	var ids, names []string
	for _, x := range detail.Execs {
		if x.Over && x.Reason != api.ReasonLost {
			ids, names = append(ids, x.Node), append(names, x.Name)
		}
	}
	if len(ids) < 2 { // there is no title to split at
		return nil, nil
	}
	a, err := w.wf(ctx, dir, append(args, ids...)...)
	if err != nil {
		return nil, err
	}
	if a.status != 0 {
		return nil, fmt.Errorf("wf logs: %v", a)
	}
	return splitLogs(a.out, detail.Run, ids, names)
}

func splitLogs(text []byte, run string, ids, names []string) (map[string][]byte, error) {
	logs := map[string][]byte{}
	for i, id := range ids {
		title := fmt.Appendf(nil, "==> %s (run %s)\n", names[i], run)
		rest, found := bytes.CutPrefix(text, title)
		if !found {
			return nil, fmt.Errorf("wf logs: %q does not begin with %q", text[:min(len(text), 80)], title)
		}
		if text = nil; i < len(ids)-1 {
			next := fmt.Appendf(nil, "==> %s (run %s)\n", names[i+1], run)
			at := bytes.Index(rest, next)
			if at < 0 {
				return nil, fmt.Errorf("wf logs: no title of %s", names[i+1])
			}
			rest, text = rest[:at], rest[at:]
		}
		logs[id] = rest
	}
	return logs, nil
}

// A double is a time at which daemon and runner were killed together.
type double struct {
	when  time.Time
	ended map[string]bool // nodes that had ended recordTime before, or earlier
}

// A verdict counts the faults of a run.
type verdict struct {
	lost, unjust, missing, twice, wrong, logs int
	faults                                    []string
}

func (v *verdict) fault(count *int, format string, args ...any) {
	*count++
	v.faults = append(v.faults, fmt.Sprintf(format, args...))
}

// judge compares the result of a run with the expected one. jobs is the maximum number of nodes that were
// running at each double: only these may be lost.
func (p plan) judge(s *seen, doubles []double, jobs int) *verdict {
	v := &verdict{}
	executions := map[string][]api.Execution{}
	lost := map[string]bool{}
	for _, x := range s.detail.Execs {
		executions[x.Node] = append(executions[x.Node], x)
		if x.Reason == api.ReasonLost {
			lost[x.Node] = true
			if v.lost++; !mayBeLost(x, doubles) {
				v.fault(&v.unjust, "%s was lost without having been running at a double kill: %q", x.Node, x.Message)
			}
		}
	}
	if len(doubles) > 0 && v.lost > jobs*len(doubles) {
		v.fault(&v.unjust, "%d nodes were lost at %d double kills of %d nodes each", v.lost, len(doubles), jobs)
	}
	fates := p.fates(lost)
	for i := range p {
		n := &p[i]
		v.node(n, fates[n.id], executions[n.id], s.trace.of(n.id), lost[n.id])
		if got := s.statuses[n.id]; got != fates[n.id] {
			v.fault(&v.wrong, "%s is %q in the workfile, not %q", n.id, got, fates[n.id])
		}
		v.log(n, s, len(executions[n.id]) > 0 && !lost[n.id])
	}
	v.result(s.detail, fates)
	return v
}

// mayBeLost reports whether x was possibly running at a double kill.
func mayBeLost(x api.Execution, doubles []double) bool {
	for _, d := range doubles {
		if !d.ended[x.Node] && (x.Started == nil || !x.Started.After(d.when)) {
			return true
		}
	}
	return false
}

// node checks one node by its recorded executions and its tracks.
func (v *verdict) node(n *planNode, fate string, executions []api.Execution, t tracks, lost bool) {
	want := 1
	if fate == fateIdle {
		want = 0
	}
	switch {
	case len(t.begun) > want || len(t.ended) > want:
		v.fault(&v.twice, "%s began %d times, must be %d", n.id, len(t.begun), want)
	case !lost && (len(t.begun) < want || len(t.ended) < want):
		v.fault(&v.missing, "%s began %d times and ended %d times, must be %d", n.id, len(t.begun), len(t.ended), want)
	}
	if len(executions) != want {
		v.fault(&v.wrong, "%s has %d executions in the history, must be %d", n.id, len(executions), want)
		return
	}
	if want == 0 || lost {
		return
	}
	x := executions[0]
	if !x.Over || x.OK != (n.code == 0) || x.ExitCode == nil || *x.ExitCode != n.code || x.Signal != "" || x.Execution != 1 {
		v.fault(&v.wrong, "%s must have exit code %d: over %v, ok %v, exit code %s, signal %q, reason %q, execution %d, %q",
			n.id, n.code, x.Over, x.OK, number(x.ExitCode), x.Signal, x.Reason, x.Execution, x.Message)
	}
	if len(t.begun) == 1 && x.PID != t.begun[0] {
		v.fault(&v.wrong, "%s was process %d, not %d", n.id, t.begun[0], x.PID)
	}
}

func number(n *int) string {
	if n == nil {
		return "unknown"
	}
	return fmt.Sprint(*n)
}

// log checks the output of a node that was executed and not lost.
func (v *verdict) log(n *planNode, s *seen, executed bool) {
	if !executed || s.logs == nil {
		return
	}
	want := n.output()
	if got := s.logs[n.id]; !bytes.Equal(got, want) {
		v.fault(&v.logs, "%s: %d bytes of output, must be %d, and the same", n.id, len(got), len(want))
	}
}

// result checks the result of the whole run.
func (v *verdict) result(d api.RunDetail, fates map[string]string) {
	var want api.Counts
	result := api.Succeeded
	for _, fate := range fates {
		switch fate {
		case fateRan:
			want.OK++
		case fateFailed:
			want.Failed++
			result = api.ResFailed
		default:
			want.Blocked++
		}
	}
	if d.Result != result || d.Counts != want || d.Problem != "" {
		v.fault(&v.wrong, "the run is %q with %+v, must be %q with %+v; %s", d.Result, d.Counts, result, want, d.Problem)
	}
}
