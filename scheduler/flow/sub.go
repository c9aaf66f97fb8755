package flow

import (
	"math"
	"strconv"
	"strings"

	"wf/graph"
	"wf/graph/timespan"
	"wf/scheduler/expression"
)

// linesPrefix begins a foreach whose items a command prints.
const linesPrefix = "lines:"

// defaultIterations is how often a while or until repeats its nodes if it does not say more or less.
const defaultIterations = 1000

// kindOf returns how a sub-flow repeats; the first of several attributes counts.
func kindOf(n *graph.Node) SubKind {
	for _, k := range []struct {
		attr string
		kind SubKind
	}{{graph.AttrForeach, Foreach}, {graph.AttrTimes, Times}, {graph.AttrWhile, While}, {graph.AttrUntil, Until}} {
		if text, _ := n.Attr(k.attr); strings.TrimSpace(text) != "" {
			return k.kind
		}
	}
	return 0
}

// sub reads how a sub-flow repeats.
func (a *nodeReader) sub() {
	s := &Sub{Kind: kindOf(a.n), MaxIterations: defaultIterations}
	a.rules.Sub = s
	if a.n.Part() != nil && s.Kind == 0 {
		s.Kind, s.Once = Times, true
		s.Times, _ = expression.CompileText("1", expression.Scope{})
	}
	a.unit(s)
	a.several()
	if a.n.Children() == 0 {
		if a.n.Part() != nil {
			a.wrong(CodeSubFlow, graph.AttrWorkfile, "%s has no nodes", a.n.WorkfileName())
		} else {
			a.wrong(CodeSubFlow, "", "the sub-flow is empty; put nodes into its nested graph")
		}
	}
	repeats := s.Kind == While || s.Kind == Until
	if number, given := a.whole("max_iterations", 1); given && repeats {
		s.MaxIterations = number
	} else if given {
		a.needs("while or until", "max_iterations")
	}
	switch s.Kind {
	case Foreach:
		a.foreach(s)
	case Times:
		if s.Once {
			break
		}
		a.times(s)
	default:
		a.test(s)
	}
	number, given := a.whole("parallel", 0)
	switch {
	case !repeats:
		s.Parallel = number
	case given && number != 1:
		a.wrong(CodeNumber, "parallel", "parallel is %d, and while and until run one instance after the other; leave it out", number)
		fallthrough
	default:
		s.Parallel = 1
	}
	a.bound(s)
	a.rate(s)
	a.onFailure(s)
	a.stopWhen(s)
	a.least(s)
	a.keyUnused()
}

// DefaultInstances is how many nodes the instances of a run may have together, if max_instances of the
// graph does not say more or less. Each takes about a kilobyte of memory until the run is over.
const DefaultInstances = 500_000

// bound refuses a number of instances that a run never takes.
func (a *nodeReader) bound(s *Sub) {
	most := DefaultInstances
	text, _ := a.g.Attr("max_instances")
	if number, err := strconv.Atoi(strings.TrimSpace(text)); err == nil && number > 0 {
		most = number
	}
	name := graph.AttrForeach
	if s.Kind == Times {
		name = graph.AttrTimes
	}
	number, known := s.instances()
	if each := max(1, a.n.Children()); known && number > most/each {
		a.wrong(CodeNumber, name, "%d instances with %d nodes each are more than the %d nodes that a run can have; write fewer, or a larger max_instances for the workfile: wf edit set-graph max_instances N",
			number, each, most)
	}
}

// several reports a container that repeats in two ways at once.
func (a *nodeReader) several() {
	var given []string
	for _, name := range []string{graph.AttrForeach, graph.AttrTimes, graph.AttrWhile, graph.AttrUntil} {
		if a.text(name) != "" {
			given = append(given, name)
		}
	}
	if len(given) > 1 {
		a.wrong(CodeSubFlow, given[1], "it has %s, and a container repeats in one way; put one container into the other", strings.Join(given, " and "))
	}
}

func (a *nodeReader) foreach(s *Sub) {
	text := a.text(graph.AttrForeach)
	command, lines := strings.CutPrefix(text, linesPrefix)
	switch {
	case strings.HasPrefix(text, tablePrefix):
		a.table(s)
	case lines && strings.TrimSpace(command) == "":
		a.wrong(CodeSubFlow, "foreach", "foreach is %s and names no command; write lines:COMMAND", shown(text))
	case lines && expression.HasTemplate(command):
		a.wrong(CodeTemplate, graph.AttrForeach, "the command of foreach contains ${{, and values never become part of a command; give it a list: foreach=${{ EXPR }}")
	case lines:
		s.Command = strings.TrimSpace(command)
	case strings.HasPrefix(text, "["):
		value, err := expression.Decode([]byte(text))
		list, isList := value.([]any)
		if err != nil || !isList {
			a.wrong(CodeSubFlow, "foreach", "foreach is %s, which is not a JSON list: %v; write it like [\"a\", \"b\"]", shown(text), err)
			return
		}
		s.List = list
	case expression.HasTemplate(text):
		a.items(s)
	default:
		a.wrong(CodeSubFlow, "foreach", "foreach is %s, which is not a list; write [\"a\", \"b\"], lines:COMMAND, table:FILE.tsv or ${{ EXPR }}", shown(text))
	}
}

// items compiles the expression that gives the items.
func (a *nodeReader) items(s *Sub) {
	t := a.template(graph.AttrForeach)
	if t == nil {
		return
	}
	e := t.Only()
	if e == nil {
		a.wrong(CodeSubFlow, "foreach", "foreach is %s, a text with an expression in it, which is not a list; write ${{ EXPR }} alone", shown(t.String()))
		return
	}
	if kind := e.Certainly(); kind != "" && kind != "a list" {
		a.wrong(CodeExpression, "foreach", "foreach: ${{%s}} gives %s, not a list", e, kind)
		return
	}
	s.Items = e
}

func (a *nodeReader) times(s *Sub) {
	t := a.template(graph.AttrTimes)
	if t == nil {
		return
	}
	if t.Plain() {
		if _, ok := a.whole(graph.AttrTimes, 0); !ok {
			return
		}
	}
	if e := t.Only(); e != nil && e.Certainly() != "" && e.Certainly() != "a number" && e.Certainly() != "a text" {
		a.wrong(CodeExpression, "times", "times: ${{%s}} gives %s, not a whole number", e, e.Certainly())
		return
	}
	s.Times = t
}

// test compiles the condition of while or until, which sees the nodes of the container itself.
func (a *nodeReader) test(s *Sub) {
	name := graph.AttrWhile
	if s.Kind == Until {
		name = graph.AttrUntil
	}
	e, always, err := compileTest(a.text(name), a.f.scope(a.n))
	if err != nil {
		a.wrong(CodeExpression, name, "%s: %v", name, err)
		return
	}
	s.Test = e
	switch {
	case always == nil:
	case *always == (s.Kind == While):
		a.warn(CodeEndless, name, "%s is always %v, so it fails after max_iterations, which is %d", name, *always, s.MaxIterations)
	case s.Kind == While:
		a.warn(CodeUseless, name, "while is always false: no node in it ever runs")
	}
}

// maxRate is the highest number of starts in a rate limit: the time of each of them is stored.
const maxRate = 10_000

// rate reads how many instances may start in a time: 10/1m, or 10/m.
func (a *nodeReader) rate(s *Sub) {
	const name = "rate_limit"
	text := a.text(name)
	if text == "" {
		return
	}
	number, span, _ := strings.Cut(text, "/")
	if span = strings.TrimSpace(span); span != "" && strings.Trim(span[:1], "0123456789.") != "" {
		span = "1" + span
	}
	n, err := strconv.Atoi(strings.TrimSpace(number))
	per, spanErr := timespan.Parse(span)
	switch {
	case err != nil || spanErr != nil || n < 1 || per <= 0:
		a.wrong(CodeNumber, name, "rate_limit is %s; write a number of starts per time, like 10/1m", shown(text))
		return
	case n > maxRate:
		a.wrong(CodeNumber, name, "rate_limit is %s, but at most %d starts can be counted; write a shorter time, like %d/%s", shown(text), maxRate, max(1, n/60), per/60)
		return
	}
	s.Rate, s.RatePer = n, per
}

// onFailure reads how the failure of an instance affects the others.
func (a *nodeReader) onFailure(s *Sub) {
	word := a.word("on_failure", "stop", "continue", "cancel")
	s.Continue, s.Cancel = word == "continue", word == "cancel"
}

// stopWhen compiles the condition under which no more instances begin. It sees what a node of the instance
// sees that has ended.
func (a *nodeReader) stopWhen(s *Sub) {
	const name = "stop_when"
	text := a.text(name)
	if text == "" {
		return
	}
	if s.Kind == While || s.Kind == Until {
		word := map[SubKind]string{While: graph.AttrWhile, Until: graph.AttrUntil}[s.Kind]
		a.wrong(CodeSubFlow, name, "stop_when is for foreach and times; write the condition into %s", word)
		return
	}
	e, always, err := compileTest(text, a.f.scope(a.n))
	if err != nil {
		a.wrong(CodeExpression, name, "%s: %v", name, err)
		return
	}
	s.StopWhen = e
	if a.text("parallel") == "" || a.text("parallel") == "0" {
		a.warn(CodeUseless, name, "stop_when has no effect without parallel: all instances start at once; write how many may run at a time")
	}
	switch {
	case always == nil:
	case *always:
		a.warn(CodeAlways, name, "stop_when is always true: after the first instance no more start")
	default:
		a.warn(CodeUseless, name, "stop_when is always false: it never stops anything; leave it out")
	}
}

// least reads how many instances have to succeed.
func (a *nodeReader) least(s *Sub) {
	text := a.text("min_success")
	if text == "" {
		return
	}
	if !s.Continue {
		if _, own := a.n.Extra["min_success"]; own {
			a.wrong(CodeSubFlow, "min_success", "min_success has no effect while the first failure stops the others; write on_failure=continue as well")
		}
		return
	}
	if percent, ok := strings.CutSuffix(text, "%"); ok {
		part, err := strconv.ParseFloat(strings.TrimSpace(percent), 64)
		if err != nil || !(part >= 0 && part <= 100) || math.IsInf(part, 0) {
			a.wrong(CodeNumber, "min_success", "min_success is %s, not a percentage from 0%% to 100%%", shown(text))
			return
		}
		s.LeastPart, s.HasLeast = part/100, true
		return
	}
	number, err := strconv.Atoi(text)
	if err != nil || number < 0 {
		a.wrong(CodeNumber, "min_success", "min_success is %s; write a whole number from 0, or a percentage like 80%%", shown(text))
		return
	}
	if most, known := s.instances(); known && most > 0 && number > most { // none at all succeed at once
		a.warn(CodeNever, "min_success", "min_success is %d, more than there are instances (%d), so it always fails; write a smaller number, or a percentage like 80%%", number, most)
	}
	s.Least, s.HasLeast = number, true
}

// instances returns how many there are, if that is known before a run.
func (s *Sub) instances() (number int, known bool) {
	switch {
	case s.List != nil:
		return len(s.List), true
	case s.Times != nil && s.Times.Plain():
		number, err := strconv.Atoi(s.Times.String())
		return number, err == nil
	}
	return 0, false
}
