package inquiry

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wf/api"
	"wf/graph"
	"wf/graph/pattern"
	"wf/workspace/history"
	"wf/workspace/runstate"
	"wf/workspace/tracing"
	"wf/workspace/workfile"
)

// TraceOf describes a run of the history as a trace: the run, its groups and instances, and a span for each execution. It is
// safe to call on any goroutine. A run that is not over ends with its latest record.
func TraceOf(store *history.Store, n int) (*tracing.Trace, error) {
	past, err := store.Load(n)
	if err != nil {
		return nil, err
	}
	g, err := workfile.FrozenGraph(store, n)
	if err != nil {
		return nil, err
	}
	b := &traceBuilder{past: past, graph: g, ids: past.Request.TraceIDs(), at: map[string]int{}}
	b.trace = &tracing.Trace{ID: b.ids.Trace, Version: past.Request.Version, Resource: map[string]string{"service.name": "wf"}}
	if past.Request.Trace != nil {
		b.trace.State = past.Request.Trace.State
	}
	b.run(store)
	for i := range past.Executions {
		b.execution(&past.Executions[i])
	}
	return b.trace, nil
}

// Trace returns a run as the JSON of a request in OTLP.
func (q *Reader) Trace(ctx context.Context, name string) ([]byte, error) {
	n, err := q.RunNumber(name)
	if err != nil {
		return nil, err
	}
	t, err := TraceOf(q.store, n)
	switch {
	case errors.Is(err, history.ErrNoRun):
		return nil, q.noRun(ctx, n)
	case err != nil:
		return nil, api.Internal("the run cannot be described as a trace", err)
	}
	return t.Batch(0, len(t.Spans)), nil
}

type traceBuilder struct {
	past  *history.Details
	graph *graph.Graph
	ids   tracing.IDs
	trace *tracing.Trace
	at    map[string]int // containers that have a span → its index
}

// run adds the span of the run.
func (b *traceBuilder) run(store *history.Store) {
	req, res := b.past.Request, b.past.Result
	s := tracing.Span{ID: b.ids.Root, Name: "run " + filepath.Base(req.Workfile), Kind: tracing.Server, Start: req.Time, End: b.latest()}
	if req.Trace != nil {
		if c, ok := tracing.ParseContext(req.Trace.Parent); ok {
			s.Parent = c.Span
		}
	}
	s.Add("cicd.pipeline.name", filepath.Base(req.Workfile))
	s.Add("cicd.pipeline.run.id", history.RunID(req.Run))
	s.Add("wf.workfile", req.Workfile)
	s.Add("wf.run", int64(req.Run))
	s.Add("wf.mode", req.Mode)
	if req.Host != "" {
		s.Add("host.name", req.Host)
	}
	if res != nil {
		s.End = res.Ended
		s.Add("cicd.pipeline.result", pipelineResult(res))
		s.Add("wf.nodes.ok", int64(res.Counts.OK))
		s.Add("wf.nodes.failed", int64(res.Counts.Failed))
		if s.Failed = res.Result == string(api.ResFailed); s.Failed {
			s.Message = cmp.Or(res.Cause, "a node failed")
			s.Add("error.type", cmp.Or(res.Cause, string(api.ResFailed)))
		}
	}
	if req.Resumes > 0 {
		s.Add("wf.resumes", int64(req.Resumes))
		if earlier, err := store.Request(req.Resumes); err == nil {
			ids := earlier.TraceIDs()
			s.Links = []tracing.Context{{Trace: ids.Trace, Span: ids.Root}}
		}
	}
	s.End = later(s.End, s.Start)
	b.trace.Spans = append(b.trace.Spans, s)
}

// latest returns the latest time of the records.
func (b *traceBuilder) latest() time.Time {
	last := b.past.Request.Time
	for i := range b.past.Executions {
		last = later(last, later(b.past.Executions[i].Started, b.past.Executions[i].Ended))
	}
	return last
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// pipelineResult returns the result of a run in the words of OpenTelemetry.
func pipelineResult(res *history.Result) string {
	switch {
	case res.Result == string(api.Succeeded):
		return "success"
	case res.Cause == string(api.ReasonTimeout):
		return "timeout"
	case res.Result == string(api.Cancelled):
		return "cancellation"
	}
	return "failure"
}

// taskResult returns the result of an execution in the words of OpenTelemetry.
func taskResult(x *history.Execution) string {
	switch {
	case x.OK:
		return "success"
	case x.Reason == string(api.ReasonTimeout):
		return "timeout"
	case x.Reason == string(api.ReasonCancelled):
		return "cancellation"
	}
	return "failure"
}

// execution adds the span of an execution, and those of its containers that are not there yet.
func (b *traceBuilder) execution(x *history.Execution) {
	name := x.ID
	if ends := instanceEnd.Get().FindAllStringIndex(name, -1); ends != nil {
		name = cmp.Or(name[ends[len(ends)-1][1]:], name)
	}
	if req := &b.past.Request; x.Node < len(req.Scope) && req.Scope[x.Node] == x.ID {
		name = req.Names[x.Node]
	}
	s := tracing.Span{ID: b.ids.Execution(x.ID, x.Number), Name: name, Kind: tracing.Internal, Start: x.Started, End: x.Ended}
	if s.Start.IsZero() { // it could not be started
		s.Start = x.Ended
	}
	if s.End.IsZero() {
		s.End = b.trace.Spans[0].End
	}
	s.End = later(s.End, s.Start)
	s.Add("cicd.pipeline.task.name", name)
	s.Add("cicd.pipeline.task.run.id", x.ID+"#"+history.RunID(x.Number))
	s.Add("wf.node", x.ID)
	s.Add("wf.execution", int64(x.Number))
	if x.PID > 0 {
		s.Add("process.pid", int64(x.PID))
	}
	if x.Over {
		s.Add("cicd.pipeline.task.run.result", taskResult(x))
		b.outcome(&s, x)
	}
	if x.Engine.Executor != "" {
		s.Add("wf.executor", x.Engine.Executor)
		s.Add("wf.job", x.Engine.ID)
		s.Add("wf.job.host", x.Engine.Host)
	}
	s.Parent = b.container(x, s.Start, s.End)
	b.trace.Spans = append(b.trace.Spans, s)
}

// outcome adds how an execution ended.
func (b *traceBuilder) outcome(s *tracing.Span, x *history.Execution) {
	rec := runstate.Execution{Number: x.Number, ExitCode: x.ExitCode, Signal: x.Signal, Reason: api.Reason(x.Reason)}
	if code := rec.Exit(); code != nil {
		s.Add("process.exit.code", int64(*code))
	}
	if x.Signal != 0 {
		s.Add("wf.signal", runstate.SignalName(x.Signal))
	}
	if x.UserMS+x.SysMS > 0 {
		s.Add("wf.cpu.user_ms", x.UserMS)
		s.Add("wf.cpu.system_ms", x.SysMS)
	}
	if x.PeakBytes > 0 {
		s.Add("wf.memory.peak_bytes", x.PeakBytes)
	}
	if x.OK {
		return
	}
	s.Add("wf.reason", x.Reason)
	if x.Reason == string(api.ReasonCancelled) {
		return
	}
	s.Add("error.type", x.Reason)
	s.Failed, s.Message = true, cmp.Or(x.Message, x.Reason)
}

// container returns the span that an execution belongs to: of its innermost group or instance, or of the run. It adds the
// spans that are missing, and extends them to the times of the execution.
func (b *traceBuilder) container(x *history.Execution, start, end time.Time) tracing.SpanID {
	parent := b.ids.Root
	for _, c := range b.containers(x) {
		i, known := b.at[c.path]
		if !known {
			i = len(b.trace.Spans)
			b.at[c.path] = i
			b.trace.Spans = append(b.trace.Spans, tracing.Span{ID: b.ids.Container(c.path), Parent: parent, Name: c.name, Kind: tracing.Internal,
				Start: start, End: end, Attributes: []tracing.Attribute{{Key: "wf.container", Value: c.path}}})
		}
		s := &b.trace.Spans[i]
		if start.Before(s.Start) {
			s.Start = start
		}
		s.End = later(s.End, end)
		parent = s.ID
	}
	return parent
}

// A spanContainer is a group, a sub-flow or an instance.
type spanContainer struct{ path, name string }

// instanceEnd ends the part of a path that names an instance.
var instanceEnd = pattern.Of(`\[[0-9]+\](/|$)`)

// containers returns the containers of an execution, the outermost first.
func (b *traceBuilder) containers(x *history.Execution) []spanContainer {
	if n := b.graph.Node(x.ID); n != nil && x.Node < len(b.past.Request.Scope) {
		return groupsOf(n.Parent)
	}
	var list []spanContainer
	begin := 0
	for _, m := range instanceEnd.Get().FindAllStringIndex(x.ID, -1) {
		end := strings.LastIndexByte(x.ID[:m[1]], ']') + 1
		subFlow := x.ID[:m[0]]
		list = append(list, spanContainer{subFlow, x.ID[begin:m[0]]}, spanContainer{x.ID[:end], x.ID[begin:end]})
		begin = m[1]
	}
	return list
}

// groupsOf returns a container and those around it, the outermost first.
func groupsOf(n *graph.Node) (list []spanContainer) {
	for ; n != nil; n = n.Parent {
		list = append(list, spanContainer{n.ID, cmp.Or(n.Name, n.ID)})
	}
	slices.Reverse(list)
	return list
}
