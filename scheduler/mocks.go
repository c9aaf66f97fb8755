package scheduler

import (
	"slices"
	"strings"

	"wf/scheduler/expression"
)

// A Mock is how a node ends that is not executed.
type Mock struct {
	Skip    bool              `json:"skip,omitempty"` // it is skipped, as if it had succeeded
	Exit    int               `json:"exit,omitempty"`
	Outputs expression.Values `json:"outputs,omitempty"`
}

// isMocked reports whether a node is mocked.
func (st *state) isMocked(i nodeID) bool {
	_, mocked := st.mockOf(i)
	return mocked
}

// mock ends the activation of a mocked node without executing it. It returns false for other nodes.
func (a activity) mock() bool {
	m, mocked := a.mockOf(a.node)
	if !mocked {
		return false
	}
	out := outcome{ok: m.Exit == 0, exit: m.Exit, hasExit: true, outputs: m.Outputs, mocked: true}
	if !out.ok {
		out.reason = ReasonExit
	}
	a.endLater(out)
	return true
}

func (st *state) mockOf(i nodeID) (m Mock, mocked bool) {
	if len(st.opt.Mocks) == 0 {
		return m, false
	}
	inst := st.instanceOf(i)
	if m, mocked = st.opt.Mocks[st.Path(int(i))]; !mocked {
		m, mocked = st.opt.Mocks[inst.lay.ids[inst.local(i)]]
	}
	if !mocked {
		m, mocked = st.mockOfAll(i)
	}
	return m, mocked
}

// mockOfAll finds the mock whose path contains [*] for every instance.
func (st *state) mockOfAll(i nodeID) (Mock, bool) {
	if len(st.patterns) == 0 || st.instanceNo(i) == 0 {
		return Mock{}, false
	}
	path := strings.Split(st.name(i), "/")
	for _, pattern := range st.patterns {
		parts := strings.Split(pattern, "/")
		if slices.EqualFunc(parts, path, matchesPart) {
			return st.opt.Mocks[pattern], true
		}
	}
	return Mock{}, false
}

// matchesPart reports whether a part of a pattern, like align[*], matches a part of a path.
func matchesPart(pattern, part string) bool {
	every, ok := strings.CutSuffix(pattern, "[*]")
	if !ok {
		return pattern == part
	}
	open := strings.LastIndexByte(part, '[')
	return open >= 0 && part[:open] == every
}
