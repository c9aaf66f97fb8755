package scheduler

import (
	"iter"
	"strconv"
	"strings"

	"wf/graph"
	"wf/scheduler/expression"
)

// EnvAt returns the data that an expression can use at path, and the container whose node names it can use
// (nil in the outer flow). path is "" for the outer flow, the path of a node for the flow that contains the
// node, or an instance such as align[3]. ok is false if the run has no such path.
func (t *texts) EnvAt(path string) (env expression.Env, home *graph.Node, ok bool) {
	k := instanceID(0)
	if path != "" {
		if k, ok = t.instanceAt(path); !ok {
			return env, nil, false
		}
	}
	return t.envIn(k), t.instances[k].lay.home, true
}

// instanceAt finds the instance of a node or path.
func (st *state) instanceAt(path string) (instanceID, bool) {
	if i, known := st.Index(path); known {
		return st.instanceNo(nodeID(i)), true
	}
	owner, number, local, ok := lastInstance(path + "/")
	if !ok || local != "" {
		return 0, false
	}
	return st.instanceBy(owner, number)
}

// lastInstance splits a path at its last instance: a[1]/b[2]/c into a[1]/b, 2 and c. ok is false if it has none.
func lastInstance(path string) (owner string, number int, local string, ok bool) {
	end := strings.LastIndex(path, "]/")
	open := strings.LastIndexByte(path[:max(end, 0)], '[')
	if open < 0 {
		return "", 0, "", false
	}
	number, err := strconv.Atoi(path[open+1 : end])
	return path[:open], number, path[end+2:], err == nil
}

// instancesIn yields the instances that a path leads through, the outermost first: the path of the sub-flow and the
// number, which is negative if it cannot be read.
func instancesIn(path string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for at := 0; ; at += 2 {
			end := strings.Index(path[at:], "]/")
			if end < 0 {
				return
			}
			at += end
			open := strings.LastIndexByte(path[:at], '[')
			number, err := strconv.Atoi(path[open+1 : at])
			if err != nil {
				number = -1
			}
			if !yield(path[:max(open, 0)], number) {
				return
			}
		}
	}
}

// instanceBy finds an instance by the path of its sub-flow and its number.
func (st *state) instanceBy(owner string, number int) (instanceID, bool) {
	i, known := st.indexOf(owner)
	if !known {
		return 0, false
	}
	list := st.subState(nodeID(i)).instances
	if number < 0 || number >= len(list) {
		return 0, false
	}
	return list[number], true
}

// Path returns the XML id of a node of the outer flow, and the path of a node in an instance of a sub-flow:
// align[3]/trim.
func (st *state) Path(node int) string {
	i := nodeID(node)
	if inst := st.instanceOf(i); inst.owner == noNode {
		return inst.lay.ids[node]
	}
	return st.name(i)
}

// name returns the local name of a node, or the path of a node in an instance.
func (st *state) name(i nodeID) string {
	inst := st.instanceOf(i)
	local := inst.lay.ids[inst.local(i)]
	if inst.lay.names != nil {
		local = inst.lay.names[inst.local(i)]
	}
	if inst.owner == noNode {
		return local
	}
	return st.name(inst.owner) + "[" + strconv.Itoa(int(inst.number)) + "]/" + local
}

// instanceName returns the path of an instance, "" for the outer flow.
func (st *state) instanceName(k instanceID) string {
	inst := &st.instances[k]
	if inst.owner == noNode {
		return ""
	}
	return st.name(inst.owner) + "[" + strconv.Itoa(int(inst.number)) + "]"
}

// Index returns the node with the XML id or the path; ok is false if the run has none.
func (st *state) Index(id string) (node int, ok bool) {
	if st.index == nil {
		st.index = make(map[string]nodeID, len(st.outer.ids))
		for i, id := range st.outer.ids {
			st.index[id] = nodeID(i)
		}
	}
	if i, ok := st.index[id]; ok {
		return int(i), true
	}
	if st.opt.Flow == nil {
		return 0, false
	}
	return st.follow(id)
}

// follow finds the node at the end of a path: the path of an instance, a slash, and a local name.
func (st *state) follow(path string) (node int, ok bool) {
	owner, number, local, ok := lastInstance(path)
	if !ok {
		return 0, false
	}
	k, ok := st.instanceBy(owner, number)
	if !ok {
		return 0, false
	}
	inst := &st.instances[k]
	for v, name := range inst.lay.names {
		if name == local || inst.lay.ids[v] == local {
			return int(inst.node) + v, true
		}
	}
	return 0, false
}

// indexOf finds a sub-flow by the beginning of a path, in which nodes of the outer flow have their local
// names.
func (st *state) indexOf(path string) (node int, ok bool) {
	if strings.Contains(path, "]/") {
		return st.Index(path)
	}
	if st.local == nil {
		st.local = make(map[string]nodeID, len(st.outer.names))
		for v, name := range st.outer.names {
			st.local[name] = nodeID(v)
		}
	}
	if v, ok := st.local[path]; ok {
		return int(v), true
	}
	return st.Index(path)
}

// InstancePath returns the path of the n-th instance of a sub-flow: align[3].
func (q queries) InstancePath(subflow, instance int) string {
	return q.name(nodeID(subflow)) + "[" + strconv.Itoa(instance) + "]"
}
