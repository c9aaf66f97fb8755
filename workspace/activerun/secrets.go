package activerun

import (
	"wf/executor"
	"wf/workspace/history"
	"wf/workspace/secrets"
)

// KeepSecrets makes the masks of a new run with the folder dir durable, before anything can print a secret value. It is called on
// a helper.
func (r *Run) KeepSecrets(dir string, number int, env []string) error {
	if r.Request.Secrets == nil {
		return nil
	}
	return r.host.Secrets.Begin(dir, secrets.Values(r.environment(env, dir, number), r.Request.Secrets.Names))
}

// resumeSecrets returns to the masks of a run of an earlier daemon.
func (r *Run) resumeSecrets() {
	if r.Request.Secrets == nil {
		return
	}
	err := r.host.Secrets.Resume(r.Dir, func() ([]string, error) {
		env, err := executor.Environment(r.Dir)
		return secrets.Values(env, r.Request.Secrets.Names), err
	})
	if err != nil {
		r.host.Log.Error("the secrets of a run are not known, so its outputs cannot be read", "run", r.ID, "err", err)
	}
	r.masks = r.host.Secrets.Live(r.Dir)
}

// hideVariables hides the values that secret variables have for one execution.
func (r *Run) hideVariables(env []string) {
	if r.masks == nil {
		return
	}
	if err := r.masks.Add(secrets.Values(env, r.Request.Secrets.Names)...); err != nil {
		r.host.Log.Error("a later daemon will not hide a secret of a run", "run", r.ID, "err", err)
	}
}

// searchReports lets the masks of the run with the folder dir follow the outputs of executions. It is called by the executor before
// the loop gets the reports.
func (h *Host) searchReports(dir string, list []executor.Report) {
	masks := h.Secrets.Live(dir)
	if masks == nil {
		return
	}
	for i := range list {
		switch rep := &list[i]; rep.Kind {
		case executor.Started:
			masks.Started(dir, rep.ID, rep.Out, rep.Err)
		case executor.CaughtUp:
			masks.AllStarted()
		case executor.Ended:
			if err := masks.Ended(dir, rep.ID, rep.Out, rep.Err); err != nil {
				h.Log.Error("an output cannot be searched for values that it announces as secret", "folder", dir, "err", err)
			}
		}
	}
}

// hiddenResult returns the result of a run without secret values.
func (r *Run) hiddenResult(res history.Result) history.Result {
	if r.masks != nil {
		secrets.Hide(&res, r.masks)
	}
	return res
}

// hiddenRecord returns a record without secret values.
func hiddenRecord(rec history.Record, masks *secrets.Masks) history.Record {
	secrets.Hide(&rec, masks)
	return rec
}
