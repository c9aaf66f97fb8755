package flow

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"wf/graph"
	"wf/graph/attribute"
	"wf/graph/timespan"
	"wf/scheduler/expression"
)

// attrOn is the attribute of triggers.
const attrOn = "on"

// attributes are the attributes of nodes and containers that are read here. The others are names and
// places, idempotent, which package graph reads, triggers, which package trigger reads, resources, which nodes have from
// the elements around them, and surroundings, which package surroundings reads.
var attributes = func() map[string]*attribute.Attribute {
	m := map[string]*attribute.Attribute{}
	for a := range attribute.On(attribute.Command | attribute.SubFlow) {
		if a.Role <= attribute.Shapes && a.Name != graph.AttrIdempotent && a.Name != attrExecutor && a.Name != attrOn && a.Name != attrSecrets && !attribute.Surrounds(a.Name) && !slices.Contains(resourceNames[:], a.Name) {
			m[a.Name] = a
		}
	}
	return m
}()

// nodeReader reads the attributes of one node.
type nodeReader struct {
	*reader
	n     *graph.Node
	rules *Rules
	outer *expression.Scope // of the texts of the node, made on first use
}

// node reads the control-flow attributes of a node.
func (r *reader) node(n *graph.Node) {
	r.containers = r.containers || n.Container
	if !concerned(n) {
		return
	}
	here := kindOfNode(n)
	a := &nodeReader{reader: r, n: n, rules: &Rules{}}
	if here == attribute.SubFlow && strings.HasPrefix(a.text(graph.AttrForeach), linesPrefix) {
		here |= attribute.Command // the command that prints the items
	}
	if !a.misplaced(here) {
		return
	}
	a.join()
	a.rules.Timeout = a.positive("timeout")
	a.retry()
	a.waits()
	a.approval()
	a.env()
	if here == attribute.Group {
		return // its nodes belong to the flow around it, see inheritEnv
	}
	if here&attribute.Command != 0 {
		a.pool()
		a.files()
	}
	if n.SubFlow() {
		a.sub()
	}
	r.f.rules[n] = a.rules
}

// concerned reports whether a node has one of the attributes.
func concerned(n *graph.Node) bool {
	for name, value := range n.Extra {
		if _, known := attributes[name]; known && strings.TrimSpace(value) != "" {
			return true
		}
	}
	for _, a := range n.Inherited() {
		if _, known := attributes[a.Name]; known && strings.TrimSpace(a.Value) != "" {
			return true
		}
	}
	return false
}

// misplaced reports attributes that have no effect on this kind of node; ok is false if the node has no other attribute.
func (a *nodeReader) misplaced(here attribute.Element) (ok bool) {
	for _, name := range attributeNames {
		if a.text(name) == "" {
			continue
		}
		if attributes[name].On&here != 0 {
			ok = true
			continue
		}
		_, own := a.n.Extra[name]
		if !own {
			continue // a default of the file for another kind of nodes
		}
		report := a.warn
		if attributes[name].Role == attribute.Decides {
			report = a.wrong
		}
		switch {
		case here == attribute.Group:
			report(CodeUseless, name, "%s has no effect on a group, whose nodes belong to the flow around it; foreach, times, while or until makes it a sub-flow", name)
		case here == attribute.SubFlow:
			report(CodeUseless, name, "%s has no effect on a sub-flow, which has no command of its own; write it on the nodes in it", name)
		case graph.MakesSubFlow(name):
			report(CodeSubFlow, name, "%s is for containers, and this node contains no other nodes; put a nested graph into it", name)
		default:
			report(CodeUseless, name, "%s has no effect on a command; it belongs on a container with foreach, times, while or until", name)
		}
	}
	return ok
}

// wrong and warn report a problem of an attribute, or of the node if the name is "".
func (a *nodeReader) wrong(code, attr, format string, args ...any) {
	a.nodeProblem(graph.Error, code, a.n, attr, format, args...)
}

func (a *nodeReader) warn(code, attr, format string, args ...any) {
	a.nodeProblem(graph.Warning, code, a.n, attr, format, args...)
}

// text returns an attribute without blanks around it.
func (a *nodeReader) text(name string) string {
	text, _ := a.n.Attr(name)
	return strings.TrimSpace(text)
}

// scope returns the scope of the texts of the node.
func (a *nodeReader) scope() *expression.Scope {
	if a.outer == nil {
		a.outer = a.f.scope(a.n.Home())
	}
	return a.outer
}

// duration reads an attribute that is a duration of 0 or more.
func (a *nodeReader) duration(name string) (d time.Duration, given bool) {
	text := a.text(name)
	if text == "" {
		return 0, false
	}
	d, err := timespan.Parse(text)
	if err != nil {
		a.wrong(CodeTime, name, "%s is %s, which %v", name, shown(text), err)
		return 0, false
	}
	return d, true
}

// positive reads an attribute that is a duration above 0; 0 = it is not set.
func (a *nodeReader) positive(name string) time.Duration {
	d, given := a.duration(name)
	if given && d == 0 {
		a.wrong(CodeTime, name, "%s is 0, which everything exceeds; leave it out for no limit", name)
	}
	return d
}

// whole reads an attribute that is a whole number of at least least.
func (a *nodeReader) whole(name string, least int) (number int, given bool) {
	text := a.text(name)
	if text == "" {
		return 0, false
	}
	number, err := strconv.Atoi(text)
	if err != nil || number < least {
		a.wrong(CodeNumber, name, "%s is %s, not a whole number from %d", name, shown(text), least)
		return 0, false
	}
	return number, true
}

// word reads an attribute that is one of some words, the first of which is the default.
func (a *nodeReader) word(name string, words ...string) string {
	text, last := a.text(name), len(words)-1
	switch {
	case slices.Contains(words, text):
		return text
	case text != "":
		a.wrong(CodeWord, name, "%s is %s; write %s or %s%s", name, shown(text), strings.Join(words[:last], ", "), words[last], closest(text, words...))
	}
	return words[0]
}

// needs warns about attributes that have no effect without another one.
func (a *nodeReader) needs(needed string, names ...string) {
	for _, name := range names {
		if _, own := a.n.Extra[name]; own && a.text(name) != "" {
			a.warn(CodeUseless, name, "%s has no effect without %s", name, needed)
		}
	}
}

// join compares the join of a node with the edges that lead to it.
func (a *nodeReader) join() {
	a.rules.JoinTimeout = a.positive("join_timeout")
	a.rules.CancelLosers = a.word("join_losers", "leave", "cancel") == "cancel"
	switch text := a.text("join"); text {
	case "", "all":
	case "any":
		a.rules.Join = 1
	default:
		number, err := strconv.Atoi(text)
		if err != nil || number < 1 {
			a.wrong(CodeJoin, "join", "join is %s; write all, any or a number from 1%s", shown(text), closest(text, "all", "any"))
			return
		}
		a.rules.Join = number
	}
	if a.text("join") != "" || a.text("join_timeout") != "" || a.text("join_losers") != "" {
		a.joins = append(a.joins, a.n)
	}
}

// join compares a join with the edges that lead to the node.
func (r *reader) join(n *graph.Node, rules *Rules) {
	if rules == nil {
		return
	}
	edges := r.f.blockingIn(n)
	switch {
	case edges == 0:
		for _, name := range []string{"join", "join_timeout", "join_losers"} {
			if text, own := n.Extra[name]; own && strings.TrimSpace(text) != "" {
				r.nodeProblem(graph.Warning, CodeUseless, n, name, "%s has no effect: no blocking edge leads to the node", name)
			}
		}
	case rules.Join > edges:
		r.nodeProblem(graph.Error, CodeJoin, n, "join", "join is %d, and only %s to the node, so it could never run; write all, any or a smaller number", rules.Join, lead(edges))
	}
}

func lead(edges int) string {
	if edges == 1 {
		return "1 blocking edge leads"
	}
	return strconv.Itoa(edges) + " blocking edges lead"
}

func (a *nodeReader) retry() {
	text := a.text("retries")
	if text == "" {
		a.needs("retries", "retry_delay", "retry_backoff", "retry_max_delay", "retry_on")
		return
	}
	limit, err := strconv.Atoi(text)
	if endless(text) || err == nil && limit < 0 {
		a.wrong(CodeNumber, "retries", "retries is %s, a retry without limit, which would never end; write a whole number from 0", shown(text))
		return
	}
	if err != nil {
		a.wrong(CodeNumber, "retries", "retries is %s, not a whole number from 0", shown(text))
		return
	}
	retry := &Retry{Limit: limit, Backoff: 1}
	retry.Delay, _ = a.duration("retry_delay")
	retry.MaxDelay = a.positive("retry_max_delay")
	if text := a.text("retry_backoff"); text != "" {
		factor, err := strconv.ParseFloat(text, 64)
		if err != nil || !(factor >= 1) || factor > 1000 {
			a.wrong(CodeNumber, "retry_backoff", "retry_backoff is %s, not a factor from 1 to 1000; 2 doubles the delay each time", shown(text))
		} else {
			retry.Backoff = factor
		}
	}
	if text := a.text("retry_on"); text != "" {
		if err := retry.parseOn(text); err != nil {
			a.wrong(CodeWord, "retry_on", "retry_on is %s: %v", shown(text), err)
		}
	}
	if limit > 0 {
		a.rules.Retry = retry
	}
}

// endless reports whether a number of repetitions means no end.
func endless(text string) bool {
	f, err := strconv.ParseFloat(text, 64)
	if (err == nil || errors.Is(err, strconv.ErrRange)) && math.IsInf(f, 0) {
		return true
	}
	switch strings.ToLower(text) {
	case "unlimited", "infinite", "forever", "always", "endless", "∞":
		return true
	}
	return false
}

func (a *nodeReader) waits() {
	if a.text("wait") != "" && a.text("wait_until") != "" {
		a.wrong(CodeTime, "wait", "wait and wait_until exclude each other; leave one of them out")
	}
	if t := a.template("wait"); t != nil {
		if _, given := a.plainDuration("wait", t); given {
			a.rules.Wait = t
		}
	}
	if t := a.template("wait_until"); t != nil {
		if t.Plain() {
			if _, err := ParseTime(t.String()); err != nil {
				a.wrong(CodeTime, "wait_until", "wait_until is %s, which %v", shown(t.String()), err)
				return
			}
		}
		a.rules.WaitUntil = t
	}
}

// plainDuration checks a text that must render to a duration, if its value is constant.
func (a *nodeReader) plainDuration(name string, t *expression.Text) (d time.Duration, ok bool) {
	if !t.Plain() {
		return 0, true
	}
	return a.duration(name)
}

// template compiles an attribute that may contain expressions; it returns nil if the attribute is not set
// or wrong.
func (a *nodeReader) template(name string) *expression.Text {
	text, _ := a.n.Attr(name)
	if strings.TrimSpace(text) == "" {
		return nil
	}
	t, err := expression.CompileText(strings.TrimSpace(text), *a.scope())
	if err != nil {
		a.wrong(CodeExpression, name, "%s: %v", name, err)
		return nil
	}
	return t
}

func (a *nodeReader) approval() {
	if a.rules.Approve = a.template("approve"); a.text("approve") == "" {
		a.needs("approve", "approve_timeout", "approve_default", "approve_fields")
		return
	}
	a.rules.ApproveTimeout = a.positive("approve_timeout")
	a.rules.ApproveDefault = a.word("approve_default", "reject", "approve") == "approve"
	if a.text("approve_timeout") == "" {
		a.needs("approve_timeout", "approve_default")
	}
	a.fields()
}

// fields reads the values that an answer must contain.
func (a *nodeReader) fields() {
	const name = "approve_fields"
	if a.text(name) == "" {
		return
	}
	fields, problems := ParseFields(a.text(name))
	for _, p := range problems {
		a.wrong(CodeParams, name, "%s: %s", name, p)
	}
	a.rules.ApproveFields = fields
	for _, f := range fields {
		if f.Required && a.rules.ApproveTimeout > 0 && a.rules.ApproveDefault {
			a.wrong(CodeParams, name, "%s: %s is required, and approve_default=approve answers without it; give it a default instead", name, f.Name)
		}
	}
}

// badVariable returns why a name cannot be that of a variable, "" if it can.
func badVariable(name string, set map[string]bool) string {
	switch {
	case strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" || name == "" || name[0] >= '0' && name[0] <= '9':
		return shown(name) + " is not a name of a variable; write letters, digits and _, no digit first"
	case strings.HasPrefix(name, "WF_"):
		return name + " is reserved: wf itself sets what begins with WF_; choose another name"
	case set[name]:
		return name + " is set twice; leave one of the lines out"
	}
	return ""
}

func (a *nodeReader) pool() {
	text := a.text("pool")
	if text == "" {
		return
	}
	uses, err := parsePool(text)
	if err != nil {
		a.wrong(CodePool, "pool", "pool is %s: %v", shown(text), err)
		return
	}
	a.rules.Pool = uses
}
