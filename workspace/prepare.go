package workspace

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"

	"wf/api"
	"wf/executor"
	"wf/graphml"
	"wf/workspace/history"
)

// prepared comes back when the run has its folder and its executor.
type prepared struct {
	r    *run
	hist *history.Run
	sess executor.Session
	err  error
}

// prepare makes the run durable and opens the executor, away from the loop.
func (w *Workspace) prepare(r *run, env []string) {
	w.touchAll()
	w.publishStatuses() // the frozen workfile has the statuses that the run begins with
	frozen := whole(w.doc.Render())
	beside, err := w.beside(r)
	bare := w.beginsBare()
	r.req.Run = w.given()
	w.loop.Run(func() {
		p := prepared{r: r, err: err}
		if p.err == nil {
			w.creating <- struct{}{}
			if p.err = w.keepFence(); p.err == nil {
				p.hist, p.err = w.store.Create(r.req, frozen, beside...)
			}
			<-w.creating
		}
		if p.err == nil && bare {
			w.keepOrigin(p.hist.Number())
		}
		if p.err == nil && r.begunFrom != "" {
			_ = os.Remove(r.begunFrom) // else whoever finds it finds the run, too
		}
		if p.err == nil {
			p.err = history.MarkActive(w.disk(), w.cfg.State, w.id, w.path)
		}
		if p.err == nil {
			p.err = makeOutputs(p.hist.Dir())
		}
		if p.err == nil {
			p.sess, p.err = w.openExecutor(r, p.hist.Dir(), p.hist.Number(), env)
		}
		w.send(p)
	})
}

// beside is what lies in the folder of a run from its beginning, for those who replay it.
func (w *Workspace) beside(r *run) ([]history.Companion, error) {
	var list []history.Companion
	add := func(name string, what any) error {
		data, err := json.Marshal(what)
		list = append(list, history.Companion{Name: name, Data: data})
		return err
	}
	if len(r.past) > 0 {
		if err := add(pastFile, r.past); err != nil {
			return nil, err
		}
	}
	if w.results == api.ResultsNone && (w.behind || anyStatus(w.g)) {
		if err := add(statusesFile, w.statuses()); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// whole joins pieces, without a copy when there is one only.
func whole(pieces graphml.Pieces) []byte {
	if len(pieces) == 1 {
		return pieces[0]
	}
	return bytes.Join(pieces, nil)
}

// openExecutor starts or follows the run's executor. Its news come into the inbox in order.
func (w *Workspace) openExecutor(r *run, dir string, number int, env []string) (executor.Session, error) {
	if env != nil {
		env = override(env, append([]string{"WF_WORKFILE=" + w.path, "WF_RUN_ID=" + runID(number)}, r.sched.ParamVariables()...))
	}
	return w.cfg.Executor.Open(context.Background(), executor.Spec{
		Dir: dir, Cwd: r.req.Cwd, Env: env, World: r.req.World,
		Report: func(list []executor.Report) { w.send(reports{r, list}) },
	})
}

// override puts variables on top of an environment, which has others of these names when a command of a
// run asks for it. Of two of a name some programs see the first.
func override(env, vars []string) []string {
	set := make(map[string]bool, len(vars))
	for _, v := range vars {
		key, _, _ := strings.Cut(v, "=")
		set[key] = true
	}
	env = slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		key, _, _ := strings.Cut(v, "=")
		return set[key]
	})
	return append(env, vars...)
}

func (p prepared) handle(w *Workspace) {
	r := p.r
	if p.err != nil {
		w.abandon(r, p)
		return
	}
	r.req, r.dir = p.hist.Request(), p.hist.Dir()
	r.hist, r.sess, r.n, r.id, r.phase = p.hist, p.sess, p.hist.Number(), runID(p.hist.Number()), going
	r.sched.SetID(r.id)
	r.join(w)
	r.begin(w)
	r.accepted(nil)
	w.tellCaller(r)
	if r.stopEarly != nil {
		w.stop(r, *r.stopEarly, r.client, nil)
	}
}

// abandon forgets a run that could not begin.
func (w *Workspace) abandon(r *run, p prepared) {
	w.drop(r)
	err := &api.Error{Code: api.CodeInternal, Message: "the run cannot begin", Where: w.cfg.State, Why: p.err.Error()}
	if p.hist != nil {
		number := p.hist.Number()
		p.hist.Close()
		w.withdraw(number)
	}
	w.unmark()
	r.accepted(err)
	w.startWaiting()
}
