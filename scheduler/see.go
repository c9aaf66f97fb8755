package scheduler

import (
	"strconv"
	"strings"

	"wf/graph"
	"wf/scheduler/expression"
)

// EnvAt returns what a text sees at a place of the run, and the sub-flow whose names it may use: "" is the outer
// flow, the path of a node the flow that it lies in, and align[3] an instance. ok is false if there is no such
// place in the run.
func (t *texts) EnvAt(path string) (env expression.Env, home *graph.Node, ok bool) {
	k := int32(0)
	if path != "" {
		if k, ok = t.instanceAt(path); !ok {
			return env, nil, false
		}
	}
	return t.envIn(k), t.instances[k].lay.home, true
}

// frameCalled finds the flow of a node, or an instance.
func (st *state) instanceAt(path string) (int32, bool) {
	if i, known := st.Index(path); known {
		return st.instanceNo(int32(i)), true
	}
	bare, isInstance := strings.CutSuffix(path, "]")
	open := strings.LastIndexByte(bare, '[')
	if !isInstance || open < 0 {
		return 0, false
	}
	i, known := st.indexOf(bare[:open])
	number, err := strconv.Atoi(bare[open+1:])
	if !known || err != nil || number < 0 {
		return 0, false
	}
	x := st.extrasOf(int32(i))
	if x == nil || x.sub == nil || number >= len(x.sub.instances) {
		return 0, false
	}
	return x.sub.instances[number], true
}
