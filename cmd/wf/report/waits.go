package report

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"wf/api"
	"wf/client/runview"
	"wf/cmd/wf/console"
	"wf/tui/plain"
	"wf/tui/words"
)

// waitDetail says what a node waits for, and which command ends the wait.
func waitDetail(n api.NodeStatus, now time.Time) string {
	switch n.Wait.Kind {
	case api.WaitApproval:
		text := "for a person: wf approve " + words.Quote(n.Name)
		if n.Wait.Until != nil {
			text += ", until " + words.Until(*n.Wait.Until, now)
		}
		return text
	case api.WaitRetry:
		if n.Wait.Until == nil {
			return fmt.Sprintf("repetition %d", n.Attempt)
		}
		return fmt.Sprintf("repetition %d in %s", n.Attempt, words.Span(max(0, n.Wait.Until.Sub(now))))
	}
	if n.Wait.Until == nil {
		return strings.TrimPrefix(words.Wait(*n.Wait, now), "waits ")
	}
	return fmt.Sprintf("until %s, in %s", words.Until(*n.Wait.Until, now), words.Span(max(0, n.Wait.Until.Sub(now))))
}

// instancesText describes the instances of a sub-flow: "2/3 instances, failed: align[1]".
func instancesText(in api.Instances) string {
	of := in.Total
	if of == 0 {
		of = in.Begun
	}
	text := fmt.Sprintf("%d/%s", in.Counts.OK+in.Counts.Kept, words.Plural(of, "instance"))
	byState := map[api.State][]string{}
	var order []api.State
	for _, s := range in.Notable {
		if byState[s.State] == nil {
			order = append(order, s.State)
		}
		name := cmp.Or(s.Name, s.Path)
		if s.Item != "" && s.Name == "" {
			name += " (" + s.Item + ")"
		}
		byState[s.State] = append(byState[s.State], name)
	}
	for _, state := range order {
		names := byState[state]
		names = names[:min(len(names), shownInstances)]
		text += ", " + string(state) + ": " + plain.Line(strings.Join(names, ", "))
		if rest := in.Counts.Of(state) - len(names); rest > 0 { // there may be more than are listed
			text += fmt.Sprintf(" (%d more)", rest)
		}
	}
	return text
}

// shownInstances is how many instances of each state are named.
const shownInstances = 3

// shownName returns the name of a node in lists: a node of a sub-flow stands for all instances.
func shownName(n api.NodeStatus, subFlows map[string]string) string {
	if around := subFlows[n.Parent]; around != "" && !runview.OfInstance(n.Name) {
		return plain.Line(around + "[*]/" + strings.TrimPrefix(n.Name, around+"/"))
	}
	return plain.Line(n.Name)
}

// subFlowsOf returns the handles of the sub-flows among nodes, by id.
func subFlowsOf(nodes []api.NodeStatus) map[string]string {
	var found map[string]string
	for _, n := range nodes {
		if n.SubFlow != "" {
			if found == nil {
				found = map[string]string{}
			}
			found[n.ID] = n.Name
			if n.SubFlow == "workfile" { // it runs once, and its nodes have its name
				found[n.ID] = ""
			}
		}
	}
	return found
}

// lsDetail returns the last column of wf ls: the command, and before it how a container repeats its nodes, or what a
// node waits for.
func lsDetail(p console.Paint, n api.NodeStatus, now time.Time) string {
	var parts []string
	if n.FromFile {
		parts = append(parts, fromFileWord)
	}
	if n.SubFlow != "" {
		parts = append(parts, n.SubFlow)
	}
	if n.Instances != nil && n.Instances.Begun > 0 && n.SubFlow != "workfile" {
		parts = append(parts, instancesText(*n.Instances))
	}
	if n.Wait != nil {
		parts = append(parts, waitDetail(n, now))
	}
	if text := words.Engine(n.Engine, n.State); text != "" {
		parts = append(parts, text)
	}
	if n.Mocked {
		parts = append(parts, "mocked")
	}
	if text := words.UpToDate(&n); text != "" {
		parts = append(parts, text)
	}
	if n.Handled {
		parts = append(parts, "handled")
	}
	if n.Command != "" {
		parts = append(parts, n.Command)
	}
	for i, part := range parts {
		if part == n.Command {
			parts[i] = plain.Command(part, p.ASCII)
			continue
		}
		parts[i] = plain.Line(part)
	}
	return strings.Join(parts, "  ")
}

// waitsForPeople says whether a notable node waits for a person.
func waitsForPeople(stages []api.Stage) bool {
	for _, s := range stages {
		for _, n := range s.Notable {
			if n.Wait != nil && n.Wait.Kind == api.WaitApproval || n.Instances != nil && n.Instances.Counts.Waiting > 0 {
				return true
			}
		}
	}
	return false
}

// mocksText lists the nodes that a run did not execute, and their results: "deploy skipped, test exit 3".
func mocksText(mocks []api.Mock) string {
	var parts []string
	for _, m := range mocks {
		parts = append(parts, m.Nodes+" "+MockText(m))
	}
	return words.NameList(parts, words.ShownNames)
}

// MockText describes the result of a node that is not executed.
func MockText(m api.Mock) string {
	switch {
	case m.Skip:
		return "skipped"
	case m.Exit != 0:
		return fmt.Sprintf("exit %d", m.Exit)
	case len(m.Outputs) > 0:
		return "gives " + words.Values(m.Outputs)
	}
	return "succeeds"
}
