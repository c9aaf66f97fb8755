package scheduler

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"wf/graph"
	"wf/scheduler/expression"
)

// flowOption reads an option of a run that needs control flow.
func flowOption(opt *Options, key, value string) bool {
	word, name, _ := strings.Cut(key, ":")
	switch word {
	case "param":
		if opt.Params == nil {
			opt.Params = map[string]any{}
		}
		opt.Params[name] = value
	case "mock", "skip":
		if opt.Mocks == nil {
			opt.Mocks = map[string]Mock{}
		}
		m := Mock{Skip: word == "skip"}
		if code, ok := strings.CutPrefix(value, "exit:"); ok {
			m.Exit, _ = strconv.Atoi(code)
		} else if value != "" {
			m.Outputs = pairs([]string{value})
		}
		opt.Mocks[name] = m
	case "rows":
		opt.ReadTable = func(int, Table) []any { return rowsOf(strings.Split(value, ";")) }
	case "seed":
		opt.Seed = name
	default:
		return false
	}
	return true
}

// forecast lists the nodes that a run would reach, and which of them are not certain.
func (p *play) forecast(options []string) string {
	req, opt := p.options(options)
	var err error
	if opt.Flow, err = readFlow(p.g); err != nil {
		return err.Error()
	}
	scope, err := Choose(p.g, req)
	if err != nil {
		return err.Error()
	}
	if opt.Repeat != nil {
		scope.Mode = Resume
	}
	opt.Dry = true
	dry, err := NewRun(p.g, scope, opt)
	if err != nil {
		return fmt.Sprintf("%T: %v", err, err)
	}
	var lines strings.Builder
	for _, x := range dry.Forecast(p.now) {
		line := dry.Path(x.Node)
		for _, word := range []struct {
			holds bool
			word  string
		}{{x.Mocked, "mocked"}, {x.Guess, "each"}, {x.Loser, "unless joined before"}, {x.MayRestart, "anew"}, {!x.Certain && !x.Loser, "perhaps"}} {
			if word.holds {
				line += " " + word.word
			}
		}
		for _, j := range x.Edges {
			source, target := dry.EdgeEnds(j)
			line += fmt.Sprintf(" %s->%s", dry.Path(source), dry.Path(target))
		}
		lines.WriteString(line + "\n")
	}
	return lines.String()
}

func pairs(words []string) expression.Values {
	var values expression.Values
	for _, word := range words {
		if key, value, ok := strings.Cut(word, "="); ok {
			if values == nil {
				values = expression.Values{}
			}
			values[key] = value
		}
	}
	return values
}

func duration(text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil {
		panic(err)
	}
	return d
}

// ending reads the end of an execution in the notation of scripts.
func (p *play) ending(verb string, words []string) Event {
	ev := Event{OK: verb != "fail", Outputs: pairs(words)}
	for _, word := range words {
		code, exit := strings.CutPrefix(word, "exit:")
		text, printed := strings.CutPrefix(word, "stdout:")
		switch {
		case printed:
			ev.Stdout = expression.Keep(text)
		case word == "" || strings.Contains(word, "="):
		case verb == "items":
			ev.Items = append(ev.Items, word)
		case exit:
			ev.Reason, ev.HasExit = ReasonExit, true
			ev.Exit, _ = strconv.Atoi(code)
		default:
			ev.Reason = word
		}
	}
	return ev
}

// rowsOf reads the rows of a table, which are words like id=S1,fq=a.
func rowsOf(words []string) []any {
	items := []any{}
	for _, word := range words {
		if word == "" {
			continue
		}
		row := map[string]any{}
		for column, value := range pairs(strings.Split(word, ",")) {
			row[column] = value
		}
		items = append(items, row)
	}
	return items
}

func (p *play) changed(e Effect) string {
	text := fmt.Sprintf("%s is %s %s", p.run.Path(e.Node), orIdle(e.Status), e.Reason)
	if e.Status == graph.Failed && p.run.Handled(e.Node) {
		text += " (handled)"
	}
	if e.Mocked {
		text += " (mocked)"
	}
	if e.UpToDate {
		text += " (up to date)"
	}
	if e.Prior {
		text += " (before)"
	}
	if e.Message != "" {
		text += ": " + e.Message
	}
	return strings.TrimRight(text, " ")
}

func (p *play) flowEffect(e Effect) string {
	if e.Kind == Timer {
		return "timer " + moment(e.At)
	}
	id := p.run.Path(e.Node)
	if e.Kind == NodesAdded {
		return fmt.Sprintf("%s begins, %d nodes", id[:strings.LastIndex(id, "]/")+1], e.Count)
	}
	if e.Kind == Answered {
		return id + " is answered by default: " + map[bool]string{true: "approve", false: "reject"}[e.OK]
	}
	text := id + [...]string{WaitNone: " waits no more", WaitTime: " waits", WaitApproval: " asks", WaitRetry: " is to be repeated"}[e.Wait]
	if e.At != 0 {
		text += " until " + moment(e.At)
	}
	if e.Message != "" {
		text += ": " + e.Message
	}
	return text
}

func moment(at int64) string {
	if at == 0 {
		return "none"
	}
	return time.Duration(at).String()
}

// replay gives all events of a run that has ended to another one, which must have the same effects.
func (p *play) replay() {
	if p.spare == nil {
		return
	}
	var effects []Effect
	for _, ev := range p.events {
		effects = append(effects, p.spare.Step(ev)...)
	}
	if !slices.Equal(effects, p.effects) {
		p.tb.Errorf("the same events gave\n%v\nand then\n%v", p.effects, effects)
	}
	p.spare = nil
}

// orders runs the graph in many orders, some with replays, some with a stop and a resume, and prints the
// result, which must be the same in all of them. A line lists how the executions of a node end, one word
// for each, the last one for all that follow; without a line all succeed:
//
//	A exit:2 ok case=x stdout:x signal timeout reject items:a,b
func (p *play) orders(options []string, body string) string {
	ends := map[string][]string{}
	for line := range strings.Lines(body) {
		words := strings.Fields(line)
		ends[words[0]] = words[1:]
	}
	stops := true
	options = slices.DeleteFunc(options, func(o string) bool {
		stops = stops && o != "unstopped"
		return o == "unstopped"
	})
	first := ""
	for k := range 60 {
		d := p.driver(options, ends, k)
		if _, err := readFlow(d.g); err != nil {
			return err.Error()
		}
		if err := d.begin(Scope{Mode: Fresh, Nodes: runnable(d.g), All: true}, 2); err != nil {
			return fmt.Sprintf("%T: %v", err, err)
		}
		if stops && k%3 == 2 {
			for range d.rand.IntN(30) {
				if d.run.Ended() || !d.advance() {
					break
				}
			}
			if !d.run.Ended() {
				d.stop()
				d.resume(2)
			}
		}
		for !d.run.Ended() && d.advance() {
			if k%3 == 1 && d.rand.IntN(10) == 0 {
				d.crash()
			}
		}
		d.untilEnd()
		switch text := d.summary(); {
		case k == 0:
			first = text
		case text != first:
			p.tb.Errorf("order %d gave\n%s\nnot\n%s", k, text, first)
		}
	}
	return strings.ReplaceAll(first, "; ", "\n")
}

// driver plays a copy of the graph.
func (p *play) driver(options []string, ends map[string][]string, k int) *driver {
	g, err := p.parse(p.text)
	if err != nil {
		p.tb.Fatal(err)
	}
	_, opt := p.options(options)
	opt.Flow, _ = readFlow(g)
	random := rand.New(rand.NewPCG(uint64(k), 7))
	if k == 0 {
		random = nil
	}
	d := newDriver(p.tb, g, opt, random)
	d.end = func(run *Run, node, n int) Event {
		words := ends[run.Path(node)]
		if words == nil {
			words = ends[run.Template(node)]
		}
		if len(words) == 0 {
			return Event{OK: true}
		}
		return endingOf(words[min(n, len(words))-1])
	}
	return d
}

func endingOf(word string) Event {
	code, exit := strings.CutPrefix(word, "exit:")
	items, lines := strings.CutPrefix(word, "items:")
	switch {
	case exit:
		n, _ := strconv.Atoi(code)
		return Event{Reason: ReasonExit, Exit: n, HasExit: true}
	case lines:
		ev := Event{OK: true}
		for _, item := range strings.FieldsFunc(items, func(c rune) bool { return c == ',' }) {
			ev.Items = append(ev.Items, item)
		}
		return ev
	case strings.HasPrefix(word, "stdout:"):
		return Event{OK: true, Stdout: expression.Keep(strings.TrimPrefix(word, "stdout:"))}
	case word == "reject":
		return Event{Reason: ReasonRejected}
	case word == "ok" || strings.Contains(word, "="):
		return Event{OK: true, Outputs: pairs([]string{word})}
	}
	return Event{Reason: word}
}
