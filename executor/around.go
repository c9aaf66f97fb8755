package executor

import (
	"encoding/json"
	"errors"
	"io/fs"
	"time"

	"wf/executor/ownfile"
)

// mostFate bounds what is read of a Fate, in bytes.
const mostFate = 1 << 20

// ReadFate reads the Fate of an execution from the path in its Around. It returns nil if there is none.
func ReadFate(path string) (*Fate, error) {
	data, err := ownfile.Read(path, mostFate)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	f := new(Fate)
	return f, json.Unmarshal(data, f)
}

var (
	errNoHooks    = errors.New("the runner is of an older version, which does not support hooks")
	errNoLauncher = errors.New("the runner is of an older version, which does not support the folder, container or environment of the command")
)

// unsupported returns why the current runner would ignore a job. The caller holds mu.
func (s *session) unsupported(j Job) error {
	switch {
	case s.lacks.hooks && j.Around != nil:
		return errNoHooks
	case s.lacks.launchers && j.Launcher != nil:
		return errNoLauncher
	}
	return nil
}

// setAbilities notes whether the current runner supports hooks and launchers. It ignores the jobs with these that it was sent if it
// does not, and setAbilities reports them as failed.
func (s *session) setAbilities(hooks, launchers bool) {
	var dropped []Report
	s.mu.Lock()
	s.lacks.hooks, s.lacks.launchers = !hooks, !launchers
	for id, sent := range s.jobs {
		if err := s.unsupported(sent.job); err != nil {
			dropped = append(dropped, Report{Kind: Ended, ID: id, Time: time.Now(), Exit: Exit{Failed: true}, Message: err.Error()})
		}
	}
	s.mu.Unlock()
	if len(dropped) > 0 && s.confirm(dropped) {
		s.spec.Report(dropped)
	}
}
