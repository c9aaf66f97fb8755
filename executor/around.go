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

var errNoHooks = errors.New("the runner is of an older version, which does not support hooks")

// setHooks notes whether the current runner supports hooks. If it does not, it ignores the jobs with hooks that it was sent, and
// setHooks reports them as failed.
func (s *session) setHooks(known bool) {
	var dropped []Report
	s.mu.Lock()
	s.noHooks = !known
	for id, sent := range s.jobs {
		if sent.job.Around != nil && !known {
			dropped = append(dropped, Report{Kind: Ended, ID: id, Time: time.Now(), Exit: Exit{Failed: true}, Message: errNoHooks.Error()})
		}
	}
	s.mu.Unlock()
	if len(dropped) > 0 && s.confirm(dropped) {
		s.spec.Report(dropped)
	}
}
