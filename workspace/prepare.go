package workspace

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"wf/api"
	"wf/executor"
	"wf/executor/ownfile"
	"wf/executor/rundir"
	"wf/graphml"
	"wf/workspace/activerun"
	"wf/workspace/history"
	"wf/workspace/runstate"
	"wf/workspace/secrets"
	"wf/workspace/tracing"
	"wf/workspace/workfile"
)

// preparer creates the folders and executors of new runs.
type preparer struct {
	w        *Workspace
	creating chan struct{} // held by the one helper that creates or removes a run's folder
	note     activeNote
	secrets  *secrets.Table // of the runs that are active
}

// A preparation is the folder and the executor of a new run.
type preparation struct {
	r       *activerun.Run
	hist    *history.Run
	sess    executor.Session
	refused string // why before_run refuses the run; "" if it does not
	err     error
	left    error // why the folder of a run that cannot start could not be removed
}

// prepare makes the run of a request durable and opens its executor. A helper does the work.
func (pp *preparer) prepare(r *activerun.Run, asked api.RunRequest, queueFile string) {
	env := asked.Env
	pp.w.file.Statuses().TouchAll()
	pp.w.file.PublishStatuses() // the frozen workfile shows the statuses at the start of the run
	frozen, err := pp.frozen(r)
	var beside []history.Companion
	if err == nil {
		beside, err = pp.beside(r, asked)
	}
	target := pp.traced(r, env)
	bare := pp.w.file.StartsBare()
	var keys []string
	if r.Flow != nil && pp.w.cfg.Values != nil {
		keys = r.Flow.Stored()
	}
	r.Request.Run = pp.w.lastNumber()
	stopped := r.Stopped()
	pp.w.loop.Run(func() {
		p := preparation{r: r, err: err}
		if len(keys) > 0 { // it opens the store, so that the loop does not wait for that; the run notes an error when it reads
			_, _, _ = pp.w.cfg.Values.Value(pp.w.id, keys[0])
		}
		if p.err == nil {
			pp.creating <- struct{}{}
			if p.err = pp.w.keepFence(); p.err == nil {
				p.hist, p.err = pp.create(r.Request, asked, frozen, beside)
			}
			<-pp.creating
		}
		if p.err == nil && bare {
			pp.keepOrigin(p.hist.Number())
		}
		if p.err == nil && target != nil {
			pp.noteTrace(p.hist.Number(), target)
		}
		if p.err == nil {
			p.err = pp.note.write(pp.w)
		}
		if p.err == nil {
			p.err = makeOutputs(p.hist.Dir())
		}
		if p.err == nil {
			p.err = r.KeepSecrets(p.hist.Dir(), p.hist.Number(), env)
		}
		if p.err == nil {
			p.refused, p.err = r.BeforeRun(p.hist.Dir(), p.hist.Number(), env, stopped)
		}
		if p.err == nil {
			p.sess, p.err = r.OpenExecutor(p.hist.Dir(), p.hist.Number(), env)
		}
		// Before that, the next daemon would take the run for one that was not started, and withdraw it.
		if p.err == nil && queueFile != "" {
			_ = os.Remove(queueFile) // if it stays, the next daemon finds that the run has started
		}
		if p.err != nil && p.hist != nil {
			p.hist.Close()
			p.left = pp.w.retries.withdraw(p.hist.Number())
		}
		if !pp.w.loop.Post(func() { pp.prepared(p) }) && p.err == nil { // the loop has ended: the next opening recovers the run
			p.sess.Detach()
			p.hist.Close()
		}
	})
}

// frozen returns the workfile as the run has it.
func (pp *preparer) frozen(r *activerun.Run) ([]byte, error) {
	file := pp.w.file
	if p := r.Request.Profile; p != nil {
		var err error
		if file, _, err = workfile.WithProfile(file, p); err != nil {
			return nil, err
		}
	}
	return whole(file.Document().Render()), nil
}

// create creates the folder of a run, with the body of the delivery that started it or the run that it resumes. If that body was
// removed with its run, the new run has none.
func (pp *preparer) create(req history.Request, asked api.RunRequest, frozen []byte, beside []history.Companion) (*history.Run, error) {
	if t := req.Trigger; t != nil && t.Body {
		var body []byte
		var err error
		if asked.Trigger != nil {
			body = asked.Trigger.Body
		} else {
			body, err = ownfile.Read(t.BodyPath(pp.w.store.Dir(req.Resumes)), mostBody)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			without := *t
			without.Body, req.Trigger = false, &without
		case err != nil:
			return nil, err
		default:
			beside = append(beside, history.Companion{Name: history.BodyFile, Data: body})
		}
	}
	return pp.w.store.Create(req, frozen, beside...)
}

// mostBody bounds the size of the body of a delivery, in bytes. The daemon accepts smaller ones.
const mostBody = 64 << 20

// beside returns further files for the folder of a new run, which replays need.
func (pp *preparer) beside(r *activerun.Run, asked api.RunRequest) ([]history.Companion, error) {
	var list []history.Companion
	add := func(name string, what any) error {
		data, err := json.Marshal(what)
		list = append(list, history.Companion{Name: name, Data: data})
		return err
	}
	vars, err := activerun.VariablesCompanion(asked.Files)
	if err != nil {
		return nil, err
	}
	if vars != nil {
		list = append(list, history.Companion{Name: rundir.VariablesFile, Data: vars})
	}
	if len(r.Prior) > 0 {
		if err := add(runstate.PriorFile, r.Prior); err != nil {
			return nil, err
		}
	}
	if others := workfile.Included(pp.w.file); others != nil {
		if err := add(workfile.IncludedName, others); err != nil {
			return nil, err
		}
	}
	if statuses := pp.w.file.Statuses().Companion(); statuses != nil {
		if err := add(workfile.StatusesName, statuses); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// traced notes in the request of a run whether it is traced, and returns where its trace is sent; nil = it is not.
func (pp *preparer) traced(r *activerun.Run, env []string) *tracing.Target {
	target, parent, state, err := tracing.Plan(env, pp.w.cfg.TraceTo)
	if err != nil {
		pp.w.cfg.Log.Warn("a run is not traced", "workfile", pp.w.path, "err", err)
	}
	if target != nil {
		r.Request.Trace = &history.Trace{Parent: parent, State: state}
	}
	return target
}

// noteTrace writes the note about a trace that is to be sent when the run is over. The environment of the run, which says where,
// is gone then.
func (pp *preparer) noteTrace(run int, target *tracing.Target) {
	folder := filepath.Join(pp.w.cfg.State, tracing.Folder)
	data, err := json.Marshal(target)
	if err == nil {
		err = os.MkdirAll(folder, 0o700)
	}
	if err == nil {
		err = ownfile.Replace(filepath.Join(folder, tracing.NoteName(pp.w.id, run)), data, false)
	}
	if err != nil {
		pp.w.cfg.Log.Error("the trace of a run will not be sent", "workfile", pp.w.path, "run", run, "err", err)
	}
}

// whole joins pieces. It makes no copy if there is only one.
func whole(pieces graphml.Pieces) []byte {
	if len(pieces) == 1 {
		return pieces[0]
	}
	return bytes.Join(pieces, nil)
}

// keepOrigin keeps the frozen workfile of a new run as the workfile without results.
func (pp *preparer) keepOrigin(run int) {
	if err := pp.w.store.LinkWorkfile(run, pp.w.file.Origin()); err != nil {
		pp.w.cfg.Log.Warn("the workfile without results cannot be kept", "workfile", pp.w.path, "err", err)
	}
}

// prepared starts a run after its folder and its executor were created.
func (pp *preparer) prepared(p preparation) {
	r := p.r
	if p.err != nil {
		pp.abandon(r, p)
		return
	}
	if p.refused != "" {
		r.Refused(p.refused)
	}
	r.Launch(p.hist, p.sess)
}

// abandon drops a run that could not start.
func (pp *preparer) abandon(r *activerun.Run, p preparation) {
	pp.w.drop(r)
	err := &api.Error{Code: api.CodeInternal, Message: "the run cannot begin", Where: pp.w.cfg.State, Why: p.err.Error()}
	if errors.Is(p.err, activerun.ErrInterrupted) {
		err = errClosed() // the client sends its request to the next daemon
	}
	if p.hist != nil {
		pp.secrets.End(p.hist.Dir())
		pp.w.retries.withdrawn(p.hist.Number(), p.left)
	}
	pp.unmark()
	r.Refuse(err)
	pp.w.queue.startWaiting()
}

// A command writes its outputs to its own file in a folder of the run (docs/control-flow.md, Outputs). The file is read when
// the execution has ended, and its content becomes part of the journal. The folder is removed at the end of the run.

// makeOutputs creates the folder of a run's outputs.
func makeOutputs(dir string) error {
	if err := os.Mkdir(filepath.Join(dir, runstate.OutputsDir), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
