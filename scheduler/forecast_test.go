package scheduler

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"wf/graph"
)

var (
	forecastSeeds = flag.Int("forecast-seeds", 300, "how many random workflows TestForecast plans and runs")
	forecastSeed  = flag.Int("forecast-seed", -1, "the one seed that TestForecast runs, as a failure prints it")
)

// TestForecastMatchesRuns compares random runs with their forecast: nothing else executes, and if all
// commands succeed, everything certain does. Some runs are stopped, and the resume gets its own forecast.
func TestForecastMatchesRuns(t *testing.T) {
	first, end := 0, *forecastSeeds
	if *forecastSeed >= 0 {
		first, end = *forecastSeed, *forecastSeed+1
	}
	certain := 0
	for s := first; s < end; s++ {
		for order := range 4 {
			certain += forecastRun(t, s, order)
			if t.Failed() {
				t.Fatalf("again with: go test -run TestForecastMatchesRuns -forecast-seed %d", s)
			}
		}
	}
	if t.Logf("%d executions were certain", certain); *forecastSeed < 0 && certain < end {
		t.Error("too little was certain to mean anything")
	}
}

// forecastRun compares a random run with its forecast. In even orders all commands succeed.
func forecastRun(t *testing.T, seed, order int) (certain int) {
	tr := newControlWorkflow(t, seed)
	random := rand.New(rand.NewPCG(uint64(seed), uint64(order)+77))
	for k := range tr.nodes {
		if tr.nodes[k].Extra["join"] != "" && random.IntN(2) == 0 {
			tr.nodes[k].Extra["join_losers"] = "cancel"
		}
	}
	g, err := graph.Build(tr.nodes, tr.edges, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := readFlow(g)
	if err != nil {
		t.Fatal(err)
	}
	d := newDriver(t, g, Options{Flow: f, Mocks: tr.mocks, Seed: "s"}, random)
	d.slots = 1 + random.IntN(6)
	succeed := order%2 == 0
	d.end = func(run *Run, node, number int) Event {
		ev := tr.end(run, node, number)
		if succeed && !ev.OK {
			ev.OK, ev.Exit, ev.HasExit, ev.Reason = true, 0, true, ""
			if n := tr.byID[run.Template(node)]; n.sub != nil {
				ev.Items = []any{"0"}
			}
		}
		return ev
	}
	scope := Scope{Mode: Fresh, Nodes: runnable(g), All: true}
	for round := 0; ; round++ {
		p := newExpectation(t, d, scope)
		if err := d.begin(scope, 0); err != nil {
			t.Fatal(err)
		}
		stops := round < 2 && order >= 2
		for n := random.IntN(60); !d.run.Ended() && (!stops || n > 0) && d.advance(); n-- {
		}
		if stops = stops && !d.run.Ended(); stops {
			d.stop()
		}
		d.untilEnd()
		certain += p.check(succeed && !stops && !p.failed())
		if !stops || t.Failed() {
			if t.Failed() {
				t.Log(tr.text(), p.text(), d.summary(), d.opt.Prior, d.events, order, round)
			}
			return certain
		}
		d.opt.Prior = d.run.Prior()
		scope.Mode = Resume
	}
}

// An expectation is the forecast of a run.
type expectation struct {
	t      *testing.T
	d      *driver
	dry    *Run
	list   []Expected
	exact  map[string]bool // paths
	every  map[string]bool // paths with [*]
	hidden []string        // sub-flows whose content is unknown, with [*]
}

var instanceNumber = regexp.MustCompile(`\[\d+\]`)

func everyInstance(path string) string { return instanceNumber.ReplaceAllString(path, "[*]") }

func newExpectation(t *testing.T, d *driver, scope Scope) *expectation {
	opt := d.opt
	opt.Dry = true
	p := &expectation{t: t, d: d, exact: map[string]bool{}, every: map[string]bool{}}
	var err error
	if p.dry, err = NewRun(d.g, scope, opt); err != nil {
		t.Fatal(err)
	}
	p.list = p.dry.Forecast(d.now)
	for _, x := range p.list {
		path := p.dry.Path(x.Node)
		p.exact[path] = true
		if p.dry.Open(x.Node) {
			p.every[everyInstance(path)] = true
		}
		if x.MayRestart {
			p.hidden = append(p.hidden, everyInstance(path)+"[")
		}
	}
	return p
}

func (p *expectation) expects(path string) bool {
	every := everyInstance(path)
	return p.exact[path] || p.every[every] || slices.ContainsFunc(p.hidden, func(within string) bool { return strings.HasPrefix(every, within) })
}

// check compares the forecast with the run; whole means that nothing failed or was stopped.
func (p *expectation) check(whole bool) (certain int) {
	executed := map[string]bool{}
	for _, ev := range p.d.events {
		if ev.Kind == Dispatched {
			path := p.d.run.Path(ev.Node)
			if executed[path] = true; !p.expects(path) {
				p.t.Errorf("%s was executed, but is not in the forecast", path)
			}
		}
	}
	for _, x := range p.list {
		path := p.dry.Path(x.Node)
		if x.Certain && !x.Guess && !x.Mocked && p.dry.Members(x.Node) == 0 {
			if certain++; whole && !executed[path] {
				p.t.Errorf("%s was certain, and was not executed", path)
			}
		}
	}
	return certain
}

func (p *expectation) text() string {
	var b strings.Builder
	for _, x := range p.list {
		fmt.Fprintf(&b, "%s %+v\n", p.dry.Path(x.Node), x)
	}
	return b.String()
}

// failed reports whether anything failed, handled or not: a text that cannot be evaluated, or too many
// activations. An activation that a join cancelled does not count.
func (p *expectation) failed() bool {
	for i := range p.d.run.nodes {
		if n := &p.d.run.nodes[i]; n.status == graph.Failed && p.d.run.reasons[i] != ReasonCancelled {
			return true
		}
	}
	return false
}
