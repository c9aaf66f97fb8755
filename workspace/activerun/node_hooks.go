package activerun

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"wf/executor"
	"wf/workspace/history"
	"wf/workspace/runstate"
)

// Hooks around nodes, before_node and after_node, are a part of the execution: the runner starts a supervisor that executes them
// and the command (executor.Around). What the supervisor tells beyond an exit code is in a file beside the outputs of the
// execution, which is read once, at the end of the execution.

// nodeHooks are the hooks around the nodes of a run.
type nodeHooks struct {
	all      hookPair            // of all nodes
	own      map[string]hookPair // further ones, by the id of a node of the workfile
	failed   []string            // hooks after commands that failed, for people
	failures int                 // their number, also beyond mostHookNotes
}

type hookPair struct{ before, after []executor.Hook }

const (
	// mostHookNotes is how many failed hooks after nodes are told at the end of a run.
	mostHookNotes = 5
	// mostHookLabel is how much of a command its hooks get in WF_NODE_LABEL, in bytes.
	mostHookLabel = 8 << 10
)

// nodeHooksOf returns the hooks around nodes among the hooks of a run, or nil if there are none.
func nodeHooksOf(list []history.Hook) (nodes *nodeHooks) {
	for _, k := range list {
		if k.Event != history.BeforeNode && k.Event != history.AfterNode {
			continue
		}
		if nodes == nil {
			nodes = &nodeHooks{own: map[string]hookPair{}}
		}
		pair := nodes.all
		if k.Node != "" {
			pair = nodes.own[k.Node]
		}
		hook := executor.Hook{Event: k.Event, Command: k.Command, From: k.From, TimeoutMS: k.TimeoutMS}
		if k.Event == history.BeforeNode {
			pair.before = append(pair.before, hook)
		} else {
			pair.after = append(pair.after, hook)
		}
		if k.Node != "" {
			nodes.own[k.Node] = pair
		} else {
			nodes.all = pair
		}
	}
	return nodes
}

// around returns the hooks of an execution, nil if it has none. The command that lists the items of a sub-flow has none.
func (ho *hooking) around(id executor.ID) *executor.Around {
	if ho.nodes == nil {
		return nil
	}
	r := ho.run
	own := ho.nodes.own[r.Sched.Template(id.Node)]
	a := &executor.Around{Before: concat(ho.nodes.all.before, own.before), After: concat(ho.nodes.all.after, own.after)}
	if len(a.Before)+len(a.After) == 0 || r.Sched.ItemsCommand(id.Node) != "" {
		return nil
	}
	n := &r.Nodes[id.Node]
	label := n.Command
	if len(label) > mostHookLabel {
		label = strings.ToValidUTF8(label[:mostHookLabel], "")
	}
	attempt := strconv.Itoa(r.Sched.Attempt(id.Node) + 1)
	a.Env = []string{"WF_NODE_LABEL=" + strings.ReplaceAll(label, "\x00", ""), "WF_ATTEMPT=" + attempt}
	if a.Name = n.Name; id.Execution > 1 {
		a.Name += ", execution " + strconv.Itoa(id.Execution)
	}
	a.Log, a.Fate = filepath.Join(r.Dir, history.HooksFile), fateFile(r.Dir, id)
	return a
}

func concat(a, b []executor.Hook) []executor.Hook { return append(a[:len(a):len(a)], b...) }

// fateFile returns the path of what the supervisor of an execution tells.
func fateFile(dir string, id executor.ID) string { return runstate.OutputFile(dir, id) + ".hooks" }

// fateOf adds to the report of an end what the hooks of the execution have done: a refusal is a failure of its own kind, and a
// command that had ended before its hook was killed, or the machine went down, keeps its result.
func (ho *hooking) fateOf(rep executor.Report) executor.Report {
	if ho.nodes == nil {
		return rep
	}
	f, err := executor.ReadFate(fateFile(ho.run.Dir, rep.ID))
	if err != nil {
		ho.run.host.Log.Warn("what hooks have done cannot be read", "run", ho.run.ID, "node", ho.run.Nodes[rep.ID.Node].Name, "err", err)
	}
	if f == nil || err != nil {
		return rep
	}
	x := &rep.Exit
	switch stopped := x.Stopped && !x.Lost; {
	case f.Refused && !stopped && len(f.Failures) > 0:
		*x = executor.Exit{Cause: executor.CauseHook, User: x.User, System: x.System}
		rep.Message = history.RefusedNode + hookReason(f.Failures[0].Said, f.Failures[0].Error)
	case f.NotStarted != "" && !stopped:
		*x, rep.Message = executor.Exit{Failed: true, User: x.User, System: x.System}, f.NotStarted
	case f.Ended && !f.Stopped && (x.Lost || x.Stopped || x.Code != f.Code || x.Signal != f.Signal):
		x.Lost, x.Stopped, x.Code, x.Signal = false, false, f.Code, f.Signal
		ho.nodes.note(fmt.Sprintf("%s of %s did not end", history.AfterNode, ho.run.Nodes[rep.ID.Node].Name))
	}
	if f.Ended {
		for _, k := range f.Failures {
			ho.nodes.note(fmt.Sprintf("%s of %s failed after %s: %s", k.Event, k.From, ho.run.Nodes[rep.ID.Node].Name, hookReason(k.Said, k.Error)))
		}
	}
	return rep
}

func hookReason(said, problem string) string { return reasonOf([]byte(said), errors.New(problem)) }

// note adds a failed hook after a command.
func (nh *nodeHooks) note(text string) {
	if nh.failures++; nh.failures <= mostHookNotes {
		nh.failed = append(nh.failed, text)
	}
}

// notes returns what people are told at the end of the run.
func (nh *nodeHooks) notes() []string {
	if nh == nil || nh.failures == 0 {
		return nil
	}
	if more := nh.failures - len(nh.failed); more > 0 {
		return append(nh.failed[:len(nh.failed):len(nh.failed)], fmt.Sprintf("%d more hooks after nodes failed (wf logs --hooks)", more))
	}
	return nh.failed
}
