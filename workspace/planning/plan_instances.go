package planning

import (
	"fmt"
	"strings"

	"wf/api"
	"wf/scheduler"
	"wf/workspace/history"
	"wf/workspace/nodestate"
	"wf/workspace/runstate"
)

// maxPlanned bounds the number of instances that a step of a plan names.
const maxPlanned = 100

// instances returns the number of instances of each node of the workfile, present or expected.
func (p *forecast) instances(present []bool) map[string]int {
	all := map[string]int{}
	sched := p.r.Sched
	for i, there := range present {
		if !there {
			continue
		}
		if _, _, inside := sched.Instance(i); inside {
			all[sched.Template(i)]++
		}
		if first, _ := sched.Instances(i); len(first) > 0 && sched.Planned(i) > len(first) {
			for k := range sched.Members(i) { // the forecast contains only some instances; the others are equal
				all[sched.Template(first[0]+k)] += sched.Planned(i) - len(first)
			}
		}
	}
	return all
}

// innerStep adds a node of an instance to the common step of all instances, and returns the position of the step.
func (p *forecast) innerStep(x scheduler.Expected, all map[string]int) (at int) {
	sched := p.r.Sched
	path, template := sched.Path(x.Node), sched.Template(x.Node)
	m, mocked := sched.Mocked(x.Node)
	key := fmt.Sprint(template, " ", x.Certain, " ", mocked, " ", x.Guess)
	k, known := p.steps[key]
	if !known {
		n := p.File.Graph().Node(template)
		name := everyInstance((&nodestate.PathNamer{Nodes: p.Nodes}).Name(path))
		home := strings.TrimSuffix(strings.TrimSuffix(name, "/"+p.r.Flow.LocalName(n)), "[*]")
		step := api.PlanStep{Node: n.ID, Name: name, Command: n.Label, Line: runstate.LineOf(&p.r.State, n.ID, n.Label), Surroundings: runstate.SurroundingsOfID(&p.r.State, n.ID).Words(), Reason: api.PlanInstance,
			Home: home, State: p.Nodes.State(n, false), Run: history.RunID(p.Nodes.LastRun(n))}
		step.Of = step.Home
		step.Approve, _ = n.Attr("approve")
		step.Executor = runstate.ExecutorOf(&p.r.State, x.Node)
		if n.SubFlow() {
			step.SubFlow = subFlowText(n)
		}
		if mocked {
			step.Mock = &api.Mock{Nodes: name, Skip: m.Skip, Exit: m.Exit, Outputs: m.Outputs}
		}
		step.Why = "in each instance of " + step.Of
		if n.Home().Once() {
			step.Why = "in " + step.Of
		}
		if !x.Certain {
			step.Reason, step.Of = api.PlanConditional, p.conditions(x)
			step.Why = conditionWhy(step.Of)
		}
		k = len(p.plan.Steps)
		p.steps[key] = k
		p.plan.Steps = append(p.plan.Steps, step)
	}
	step := &p.plan.Steps[k]
	if x.Guess {
		return k
	}
	if len(step.Paths) < maxPlanned {
		step.Paths = append(step.Paths, path)
	}
	if sched.Open(x.Node) {
		if x.Certain && len(step.Paths) < all[template] {
			step.Why = fmt.Sprintf("in %s and each further instance of %s", api.Several(instancesIn(step.Paths), 3), step.Of)
		}
		return k
	}
	step.Instances++
	if owner, instance, _ := sched.Instance(x.Node); x.Certain {
		first, _ := sched.Instances(owner)
		if instance == len(first)-1 { // it represents the instances that the forecast does not contain
			step.Instances += max(0, sched.Planned(owner)-len(first))
		}
		if step.Why = instancesWhy(step, all[template]); sched.Once(owner) {
			step.Why = "in " + step.Of
		}
		if sched.MayStop(owner) {
			step.Why += ", unless its stop_when is true before"
		}
	}
	return k
}

// instancesWhy returns a phrase about the instances in which a node is executed.
func instancesWhy(step *api.PlanStep, all int) string {
	switch n := step.Instances; {
	case n == all && n == 1:
		return "in the one instance of " + step.Of
	case n == all:
		return fmt.Sprintf("in each of the %d instances of %s", n, step.Of)
	default:
		return fmt.Sprintf("in %d of %d instances of %s: %s", n, all, step.Of, api.Several(instancesIn(step.Paths), 3))
	}
}

// instancesIn returns the instances that contain the given paths.
func instancesIn(paths []string) []string {
	var named []string
	for _, path := range paths {
		named = append(named, path[:strings.LastIndexByte(path, '/')])
	}
	return named
}

// everyInstance returns a path with [*] in place of instance numbers.
func everyInstance(path string) string {
	var b strings.Builder
	for {
		end := strings.Index(path, "]/")
		if end < 0 {
			return b.String() + path
		}
		b.WriteString(path[:strings.LastIndexByte(path[:end], '[')] + "[*]/")
		path = path[end+2:]
	}
}

// hidden lists the nodes of sub-flows that may start again.
func (p *forecast) hidden() {
	for _, id := range p.r.Request.Scope[p.r.OuterNodes():] {
		n := p.File.Graph().Node(id)
		home, may := p.maybe[n.Home().ID]
		if !may {
			continue
		}
		between := "[*]/"
		if n.Home().Once() {
			between = "/"
		}
		step := api.PlanStep{Node: id, Name: home + between + p.r.Flow.LocalName(n), Command: n.Label, Home: home,
			Line: runstate.LineOf(&p.r.State, id, n.Label), Surroundings: runstate.SurroundingsOfID(&p.r.State, id).Words(), Reason: api.PlanConditional, Of: home + " begins anew",
			State: p.Nodes.State(n, false), Run: history.RunID(p.Nodes.LastRun(n))}
		step.Why = conditionWhy(step.Of)
		step.Approve, _ = n.Attr("approve")
		if n.SubFlow() {
			step.SubFlow, p.maybe[id] = subFlowText(n), step.Name
		}
		p.plan.Steps = append(p.plan.Steps, step)
	}
}

// conditions returns a phrase about what decides whether a node is executed.
func (p *forecast) conditions(x scheduler.Expected) string {
	var when, runs []string
	for _, j := range x.Edges {
		e := p.File.Graph().Edge(p.r.Sched.EdgeKey(j))
		source, _ := p.r.Sched.EdgeEnds(j)
		name := localName(p.handleOf(source))
		if word, _ := e.Attr("when"); word != "" && word != "success" {
			when = append(when, name+" "+word)
		} else {
			runs = append(runs, name+" runs")
		}
	}
	if when == nil {
		when = runs
	}
	owner, _, inside := p.r.Sched.Instance(x.Node)
	switch {
	case x.Loser:
		return unlessJoined
	case when != nil:
		return api.Several(when, 4)
	case inside:
		return localName(everyInstance(p.handleOf(owner))) + " runs"
	}
	return "what leads to it runs"
}

// unlessJoined is the condition of a node that leads to a join: the join may cancel it, or never start it, once enough other
// edges have fired.
const unlessJoined = "unless a join that it leads to is decided before"

func conditionWhy(of string) string {
	if of == unlessJoined {
		return of
	}
	return "only if " + of
}

func (p *forecast) handleOf(i int) string {
	if i < len(p.r.Nodes) {
		return p.r.Nodes[i].Name
	}
	return p.r.Sched.Path(i)
}

// localName returns the last part of a path.
func localName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
