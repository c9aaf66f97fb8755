package secrets

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// A Table knows the masks of the runs of a workspace, by their folders. It is safe for concurrent use. nil knows none.
type Table struct {
	mu   sync.Mutex // guards live
	live map[string]*Masks
}

// Of returns the masks of the run with the folder dir; nil = it has no secrets. Those of a run that is over are read from its
// folder. After an error nothing of the run's outputs may be shown.
func (t *Table) Of(dir string) (*Masks, error) {
	if m := t.Live(dir); m != nil {
		return m, nil
	}
	return read(dir)
}

// Live returns the masks of an active run, nil if it has none.
func (t *Table) Live(dir string) *Masks {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.live[dir]
}

// Begin makes the masks of a new run durable. values are its secret values.
func (t *Table) Begin(dir string, values []string) error {
	m, err := create(dir, values)
	if err != nil {
		return fmt.Errorf("the masks of its secrets cannot be kept: %w", err)
	}
	t.keep(dir, m)
	return nil
}

// Resume returns to the masks of a run of an earlier daemon. If the file with them is missing or damaged, they begin again with
// values; announced values are found again, because the executor reports all executions again.
func (t *Table) Resume(dir string, values func() ([]string, error)) error {
	m, err := read(dir)
	if m == nil || err != nil {
		known, wrong := values()
		if err != nil && wrong != nil {
			return errors.Join(err, wrong) // the damaged file stays: nobody sees an output
		}
		if m, err = create(dir, known); err != nil {
			return err
		}
	}
	m.resumed(dir)
	t.keep(dir, m)
	return nil
}

func (t *Table) keep(dir string, m *Masks) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.live == nil {
		t.live = map[string]*Masks{}
	}
	t.live[dir] = m
}

// End forgets the masks of a run that is over. Its folder keeps them.
func (t *Table) End(dir string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.live, dir)
}

// All returns the masks of all active runs.
func (t *Table) All() (list []*Masks) {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, m := range t.live {
		list = append(list, m)
	}
	return list
}

// Values returns the values of variables in an environment of KEY=VALUE.
func Values(env, names []string) (values []string) {
	for _, v := range env {
		if key, value, ok := strings.Cut(v, "="); ok && slices.Contains(names, key) {
			values = append(values, value)
		}
	}
	return values
}
