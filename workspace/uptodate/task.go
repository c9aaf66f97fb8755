package uptodate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"
)

// A Task is a command that declares outputs, before its execution.
type Task struct {
	Node    string            // its path
	Folder  string            // absolute; declared paths start there
	Command Digest            // see Commanded
	Values  map[string]Digest // see Facts and ValueOf
	Inputs  []string          // as declared, see Paths
	Outputs []string
	Version string
	Prints  bool // what the command printed is needed, so it must be known
}

// A Look is what was found before an execution.
type Look struct {
	Facts Facts
	// Success is the earlier success that makes an execution unnecessary, or nil. It must not be changed.
	Success *Success
	Why     string // what makes an execution necessary, in a few words

	stamps map[string]Digest // of the inputs
	moving string            // an input that was written meanwhile, so its digest is not known
}

// Look finds out whether a command has to be executed. It reads inputs and outputs that have changed, which may take long; it
// writes nothing. Errors are a *MissingError for inputs, and what prevents reading one.
func (m *Memory) Look(ctx context.Context, t Task) (*Look, error) {
	l, err := m.facts(ctx, t)
	if err != nil {
		return nil, err
	}
	if l.moving != "" {
		l.Why = fmt.Sprintf("inputs: %s is being written", l.moving)
		return l, nil
	}
	m.mu.Lock()
	s := m.successes[l.Facts.Key()]
	m.mu.Unlock()
	if s == nil {
		l.Why = m.unknown(t, l)
		return l, nil
	}
	if t.Prints && s.Stdout == nil {
		l.Why = "an expression reads what it prints, which is not known of " + s.origin()
		return l, nil
	}
	for _, path := range l.Facts.Outputs {
		r, err := m.read(ctx, within(t.Folder, path))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			l.Why = fmt.Sprintf("outputs: %s is gone", path)
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			l.Why = fmt.Sprintf("outputs: %s cannot be read", path)
		case r.digest != s.Outputs[path]:
			l.Why = fmt.Sprintf("outputs: %s changed since %s", path, s.origin())
		}
		if l.Why != "" {
			return l, nil
		}
	}
	l.Success = s
	return l, nil
}

// Text says why an execution is not necessary.
func (s *Success) Text() string {
	if s.Accepted != "" {
		return "up to date (accepted by " + s.Accepted + ")"
	}
	return fmt.Sprintf("up to date (run %d)", s.Run)
}

// origin says where a success comes from.
func (s *Success) origin() string {
	if s.Accepted != "" {
		return "it was accepted"
	}
	return fmt.Sprintf("run %d", s.Run)
}

// unknown says why no success with the facts of a look is known.
func (m *Memory) unknown(t Task, l *Look) string {
	latest := m.Latest(t.Node)
	if latest == nil {
		return "it has not succeeded yet"
	}
	return l.Facts.Difference(&latest.Facts) + " since " + latest.origin()
}

// facts returns a look without a judgement.
func (m *Memory) facts(ctx context.Context, t Task) (*Look, error) {
	inputs, err := Expand(t.Folder, t.Inputs)
	if err != nil {
		return nil, err
	}
	outputs := make([]string, 0, len(t.Outputs))
	for _, path := range t.Outputs {
		outputs = append(outputs, literal(path))
	}
	slices.Sort(outputs)
	l := &Look{Facts: Facts{Command: t.Command, Values: t.Values, Outputs: slices.Compact(outputs), Version: t.Version}, stamps: map[string]Digest{}}
	if len(inputs) > 0 {
		l.Facts.Inputs = make(map[string]Digest, len(inputs))
	}
	for _, path := range inputs {
		r, err := m.read(ctx, within(t.Folder, path))
		if errors.Is(err, errMoving) {
			l.moving = path
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("input %s: %w", path, err)
		}
		l.Facts.Inputs[path], l.stamps[path] = r.digest, r.stamp
	}
	return l, nil
}

// A MovedError names an input that was written while the command was executed. Its success is not remembered.
type MovedError struct{ Path string }

func (e *MovedError) Error() string {
	return fmt.Sprintf("input %s changed while the command ran, so the next run executes it again", e.Path)
}

// Done looks at the files again after a command has succeeded, before which before was found. It returns the success for
// Remember. Errors are a *MissingError for outputs, with which the command has failed; a *MovedError; and what prevents reading
// a file.
func (m *Memory) Done(ctx context.Context, t Task, before *Look, run int) (*Success, error) {
	outputs, err := m.outputs(ctx, t, before.Facts.Outputs)
	if err != nil {
		return nil, err
	}
	if before.moving != "" {
		return nil, &MovedError{before.moving}
	}
	after, err := m.facts(ctx, t)
	var missing *MissingError
	switch {
	case errors.As(err, &missing):
		return nil, &MovedError{missing.Paths[0]}
	case err != nil:
		return nil, err
	case after.moving != "":
		return nil, &MovedError{after.moving}
	}
	for _, path := range slices.Sorted(maps.Keys(before.stamps)) {
		if after.stamps[path] != before.stamps[path] || after.Facts.Inputs[path] != before.Facts.Inputs[path] {
			return nil, &MovedError{path}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(after.stamps)) {
		if _, there := before.stamps[path]; !there {
			return nil, &MovedError{path}
		}
	}
	return &Success{Node: t.Node, Run: run, Time: time.Now().UTC().Truncate(time.Millisecond), Facts: before.Facts, Outputs: outputs}, nil
}

// MissingOutputs returns an error that names the outputs that do not exist, or nil. It reads no contents.
func MissingOutputs(folder string, outputs []string) *MissingError {
	var missing []string
	for _, path := range outputs {
		path = literal(path)
		if _, err := os.Stat(within(folder, path)); errors.Is(err, fs.ErrNotExist) {
			missing = append(missing, path)
		}
	}
	if missing == nil {
		return nil
	}
	return &MissingError{What: "output", Paths: missing}
}

// Accept remembers what is there as the result of a success, as a person has said.
func (m *Memory) Accept(ctx context.Context, t Task, person string) error {
	l, err := m.facts(ctx, t)
	if err != nil {
		return err
	}
	outputs, err := m.outputs(ctx, t, l.Facts.Outputs)
	if err != nil {
		return err
	}
	s := &Success{Node: t.Node, Time: time.Now().UTC().Truncate(time.Millisecond), Facts: l.Facts, Outputs: outputs, Accepted: person}
	if earlier := m.Latest(t.Node); earlier != nil {
		s.Values, s.Stdout = earlier.Values, earlier.Stdout
	}
	m.Remember(s)
	return nil
}

// outputs reads the outputs of a command.
func (m *Memory) outputs(ctx context.Context, t Task, paths []string) (map[string]Digest, error) {
	found := make(map[string]Digest, len(paths))
	var missing []string
	for _, path := range paths {
		r, err := m.read(ctx, within(t.Folder, path))
		if errors.Is(err, fs.ErrNotExist) {
			missing = append(missing, path)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("output %s: %w", path, err)
		}
		found[path] = r.digest
	}
	if missing != nil {
		return nil, &MissingError{What: "output", Paths: missing}
	}
	return found, nil
}
