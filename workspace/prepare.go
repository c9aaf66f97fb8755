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
	"wf/workspace/runstate"
	"wf/workspace/workfile"
)

// prepared is the message that a new run has its folder and its executor.
type prepared struct {
	r    *run
	hist *history.Run
	sess executor.Session
	err  error
	left error // why the folder of a run that cannot start is still there
}

// prepare makes the run durable and opens the executor, away from the loop.
func (w *Workspace) prepare(r *run, env []string) {
	w.file.Statuses().TouchAll()
	w.file.PublishStatuses() // the frozen workfile has the statuses that the run begins with
	frozen := whole(w.file.Document().Render())
	beside, err := w.beside(r)
	bare := w.file.StartsBare()
	r.Request.Run = w.given()
	w.loop.Run(func() {
		p := prepared{r: r, err: err}
		if p.err == nil {
			w.creating <- struct{}{}
			if p.err = w.keepFence(); p.err == nil {
				p.hist, p.err = w.store.Create(r.Request, frozen, beside...)
			}
			<-w.creating
		}
		if p.err == nil && bare {
			w.keepOrigin(p.hist.Number())
		}
		if p.err == nil && r.begunFrom != "" {
			_ = os.Remove(r.begunFrom) // if it stays, the next daemon finds that the run has started
		}
		if p.err == nil {
			p.err = w.note.write(w)
		}
		if p.err == nil {
			p.err = makeOutputs(p.hist.Dir())
		}
		if p.err == nil {
			p.sess, p.err = w.openExecutor(r, p.hist.Dir(), p.hist.Number(), env)
		}
		if p.err != nil && p.hist != nil {
			p.hist.Close()
			p.left = w.withdraw(p.hist.Number())
		}
		w.send(p)
	})
}

// beside returns the files that lie in the folder of a run from its start, for replays.
func (w *Workspace) beside(r *run) ([]history.Companion, error) {
	var list []history.Companion
	add := func(name string, what any) error {
		data, err := json.Marshal(what)
		list = append(list, history.Companion{Name: name, Data: data})
		return err
	}
	if len(r.Prior) > 0 {
		if err := add(runstate.PriorFile, r.Prior); err != nil {
			return nil, err
		}
	}
	if statuses := w.file.Statuses().Companion(); statuses != nil {
		if err := add(workfile.StatusesName, statuses); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// whole joins pieces, without a copy when there is only one.
func whole(pieces graphml.Pieces) []byte {
	if len(pieces) == 1 {
		return pieces[0]
	}
	return bytes.Join(pieces, nil)
}

// keepOrigin keeps the workfile of a run that was just made as the one without results.
func (w *Workspace) keepOrigin(run int) {
	if err := w.store.LinkWorkfile(run, w.file.Origin()); err != nil {
		w.cfg.Log.Warn("the workfile without results cannot be kept", "workfile", w.path, "err", err)
	}
}

// openExecutor starts or follows the run's executor. Its reports come into the inbox in order.
func (w *Workspace) openExecutor(r *run, dir string, number int, env []string) (executor.Session, error) {
	if env != nil {
		env = override(env, append([]string{"WF_WORKFILE=" + w.path, "WF_RUN_ID=" + history.RunID(number)}, r.Sched.ParamVariables()...))
	}
	return w.cfg.Executor.Open(context.Background(), executor.Spec{
		Dir: dir, Cwd: r.Request.Cwd, Env: env, Attributes: r.Request.World,
		Report: func(list []executor.Report) { w.send(reports{r, list}) },
	})
}

// override replaces variables of an environment. A name must not stand there twice: some programs read the first one.
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
	r.Request, r.Dir = p.hist.Request(), p.hist.Dir()
	r.hist, r.sess, r.Number, r.ID, r.Phase = p.hist, p.sess, p.hist.Number(), history.RunID(p.hist.Number()), runstate.Going
	r.Sched.SetID(r.ID)
	resumed, _ := w.nodes.Earlier(r.Request.Resumes)
	w.nodes.NoteRun(r.Request, resumed.Scope)
	r.join(w)
	r.begin(w)
	r.accepted(nil)
	w.tellCaller(r)
	if r.stopEarly != nil {
		w.stop(r, *r.stopEarly, r.Request.Client, nil)
	}
}

// abandon forgets a run that could not start.
func (w *Workspace) abandon(r *run, p prepared) {
	w.drop(r)
	err := &api.Error{Code: api.CodeInternal, Message: "the run cannot begin", Where: w.cfg.State, Why: p.err.Error()}
	if p.hist != nil {
		w.withdrawn(p.hist.Number(), p.left)
	}
	w.unmark()
	r.accepted(err)
	w.startWaiting()
}
