package activerun

import (
	"wf/scheduler"
	"wf/workspace/runstate"
)

// Load is what runs execute and wait for at one moment.
type Load struct {
	Runs       int
	QueuedRuns int                   // that wait for other runs
	Running    int                   // commands on this machine
	Waiting    int                   // commands of this machine that wait for a slot or for units of pools
	Approvals  int                   // nodes that wait for a person
	Engines    map[string]EngineLoad // by name; nil if nothing is there
}

// EngineLoad is the commands of one engine.
type EngineLoad struct {
	Running int
	Waiting int // the engine has them, or gets them soon, and they have not started
}

// AddLoad adds what the run executes and waits for.
func (r *Run) AddLoad(l *Load) {
	l.Runs++
	l.Running += r.Here.Running
	l.Waiting += r.Here.InFlight - r.Here.Running + len(r.pooling.waits)
	for i := range r.Since {
		if kind, _, _ := r.Sched.Waits(i); kind == scheduler.WaitApproval {
			l.Approvals++
		}
	}
	if r.Phase == runstate.Active {
		l.Waiting += len(r.dispatcher.queue) - r.dispatcher.head + len(r.reuse.waiting)
		for _, id := range r.dispatcher.elsewhere {
			l.add(runstate.ExecutorOf(&r.State, id.Node), EngineLoad{Waiting: 1})
		}
	}
	if r.Engines.InFlight == 0 {
		return
	}
	for _, id := range r.live() {
		switch x := r.Nodes[id.Node].Execution; {
		case !x.AtEngine():
		case x.Started:
			l.add(x.Engine().Executor, EngineLoad{Running: 1})
		default:
			l.add(x.Engine().Executor, EngineLoad{Waiting: 1})
		}
	}
}

func (l *Load) add(engine string, more EngineLoad) {
	if l.Engines == nil {
		l.Engines = map[string]EngineLoad{}
	}
	e := l.Engines[engine]
	l.Engines[engine] = EngineLoad{e.Running + more.Running, e.Waiting + more.Waiting}
}

// Add adds another load.
func (l *Load) Add(more Load) {
	l.Runs += more.Runs
	l.QueuedRuns += more.QueuedRuns
	l.Running += more.Running
	l.Waiting += more.Waiting
	l.Approvals += more.Approvals
	for engine, e := range more.Engines {
		l.add(engine, e)
	}
}
