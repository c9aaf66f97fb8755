package uptodate

import "slices"

// An attempt is an execution that has begun and not succeeded: it may be running, or it has left its outputs incomplete.
type attempt struct {
	Node      string            `json:"node"`
	Run       int               `json:"run"`
	Execution int               `json:"execution"`
	Places    []string          `json:"places"` // of its outputs, absolute
	Facts     Facts             `json:"facts"`
	Stamps    map[string]Digest `json:"stamps,omitempty"` // of its inputs, see Look
	Moving    string            `json:"moving,omitempty"`
}

// maxAttempts bounds the attempts of a memory. Without its attempt, a success under a later daemon is not remembered, and what a
// failure has left is not removed.
const maxAttempts = 100_000

// Begin notes that an execution is about to start. After a Save, and until its success is remembered, its outputs are known to
// be possibly incomplete.
func (m *Memory) Begin(t Task, before *Look, run, execution int) {
	a := &attempt{Node: t.Node, Run: run, Execution: execution, Facts: before.Facts, Stamps: before.stamps, Moving: before.moving}
	for _, path := range before.Facts.Outputs {
		a.Places = append(a.Places, within(t.Folder, path))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.begin(a)
	m.append(line{Begun: a})
}

func (m *Memory) begin(a *attempt) {
	if len(m.attempts) >= maxAttempts {
		clear(m.attempts)
		clear(m.partial)
	}
	m.attempts[a.Node] = a
	for _, place := range a.Places {
		m.partial[place] = true
	}
}

// endAttempt forgets the attempt of a node, because its outputs are whole.
func (m *Memory) endAttempt(node string) {
	if a := m.attempts[node]; a != nil {
		for _, place := range a.Places {
			delete(m.partial, place)
		}
		delete(m.attempts, node)
	}
}

// Begun returns what was found before an execution that an earlier daemon has begun, or nil.
func (m *Memory) Begun(node string, run, execution int) *Look {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.attempts[node]
	if a == nil || a.Run != run || a.Execution != execution {
		return nil
	}
	return &Look{Facts: a.Facts, stamps: a.Stamps, moving: a.Moving}
}

// Incomplete returns the outputs of a command that an execution without success may have left incomplete.
func (m *Memory) Incomplete(t Task) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.partial) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(t.Outputs), func(path string) bool { return !m.partial[within(t.Folder, literal(path))] })
}

// Untidy reports whether any output may be incomplete.
func (m *Memory) Untidy() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.partial) > 0
}
