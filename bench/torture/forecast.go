package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"wf/api"
)

// forecastOptions are the flags of forecast.
type forecastOptions struct {
	workfiles int
	rounds    int
}

func setupForecast(flags *flag.FlagSet) func(context.Context, *world) (*report, error) {
	o := &forecastOptions{}
	flags.IntVar(&o.workfiles, "n", 2000, "random workfiles")
	flags.IntVar(&o.rounds, "rounds", 3, "runs of each")
	return o.attack
}

// attack makes wf check, plan, run and explain random workfiles, each several times, and compares the
// output of wf plan with the records of the commands.
func (o *forecastOptions) attack(ctx context.Context, w *world) (*report, error) {
	rep := newReport("workfiles", "refused", "runs", "failed", "executions", "planned exactly", "reasons", "time")
	begin, t := time.Now(), forecastToll{}
	for i := range o.workfiles {
		name := fmt.Sprintf("flow%d", i)
		fc := &forecaster{w: w, name: name, chance: w.random(name), rep: rep, toll: &t}
		if err := fc.play(ctx, o.rounds); err != nil {
			return rep, fmt.Errorf("%s: %w", name, err)
		}
	}
	if log, err := os.ReadFile(filepath.Join(w.state(), "daemon.log")); err == nil && bytes.Contains(log, []byte("panic")) {
		rep.violate("the log of the daemon tells of a panic")
	}
	rep.row(o.workfiles, t.refused, t.runs, t.failed, t.executions, t.exact, t.reasons, time.Since(begin).Round(time.Second))
	return rep, ctx.Err()
}

// A forecastToll counts results.
type forecastToll struct{ refused, runs, failed, executions, exact, reasons int }

// A forecaster tests one workfile.
type forecaster struct {
	w      *world
	name   string
	dir    string
	chance *rand.Rand
	flow   flow
	rep    *report
	toll   *forecastToll
}

func (fc *forecaster) violate(format string, args ...any) {
	fc.rep.violate("%s: %s", fc.name, fmt.Sprintf(format, args...))
}

func (fc *forecaster) play(ctx context.Context, rounds int) (err error) {
	fc.flow = newFlow(fc.chance)
	if fc.dir, err = fc.w.folder(fc.name); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(fc.dir, "Workfile"), []byte(fc.flow.text), 0o644); err != nil {
		return err
	}
	check, err := fc.w.wf(ctx, fc.dir, "check")
	if err != nil {
		return err
	}
	fc.calm("check", check)
	for round := range rounds {
		flags := fc.flags(round)
		if err := fc.round(ctx, flags, check.status); err != nil {
			return fmt.Errorf("%v: %w", flags, err)
		}
		if check.status != 0 {
			fc.toll.refused++
			return nil
		}
		if err := fc.why(ctx); err != nil {
			return err
		}
		if fc.chance.IntN(2) == 0 {
			err = os.WriteFile(filepath.Join(fc.dir, "mended"), nil, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// flags returns the flags for plan and run: none in the first round, sometimes a selection later.
func (fc *forecaster) flags(round int) []string {
	node := fc.flow.nodes[fc.chance.IntN(len(fc.flow.nodes))]
	if round == 0 || fc.chance.IntN(3) > 0 {
		return []string{"-j", fmt.Sprint(fc.chance.IntN(5))}
	}
	switch fc.chance.IntN(6) {
	case 0:
		return []string{"--fresh"}
	case 1:
		return []string{"--nodes", node + "+"}
	case 2:
		return []string{"--nodes", node}
	case 3:
		return []string{"--from", node}
	case 4:
		return []string{"--until", node}
	}
	return []string{"--fresh", "--skip", node}
}

// calm checks that a command ended with a documented exit status and without a panic.
func (fc *forecaster) calm(what string, a answer) {
	if bytes.Contains(a.err, []byte("panic")) || bytes.Contains(a.err, []byte("internal error")) || !slices.Contains([]int{0, 1, 2, 3}, a.status) {
		fc.violate("wf %s: %v", what, a)
	}
}

// round plans, runs and compares.
func (fc *forecaster) round(ctx context.Context, flags []string, checked int) error {
	planned, err := fc.w.wf(ctx, fc.dir, append([]string{"plan", "--json"}, flags...)...)
	if err != nil {
		return err
	}
	fc.calm("plan", planned)
	if err := os.Remove(filepath.Join(fc.dir, "trace")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	ran, err := fc.w.wf(ctx, fc.dir, append([]string{"run", "--json", "--approval", "wait"}, flags...)...)
	if err != nil {
		return err
	}
	fc.calm("run", ran)
	if (planned.status == 3) != (checked == 3) || (ran.status == 3) != (checked == 3) || (planned.status == 2) != (ran.status == 2) {
		fc.violate("%v: check ends with %d, plan with %v, run with %v", flags, checked, planned, ran)
	}
	if planned.status != 0 || ran.status > 1 {
		return nil
	}
	var plan api.Plan
	if err := json.Unmarshal(planned.out, &plan); err != nil {
		return err
	}
	return fc.judge(flags, &plan, ran)
}

// A ranRun is the result of a run, from its events and the records of the commands.
type ranRun struct {
	mode     string
	result   string
	allWell  bool // every execution succeeded, and every approval was given
	executed map[string]int
	counts   api.Counts
}

func (fc *forecaster) readRun(ran answer) (*ranRun, error) {
	r := &ranRun{allWell: true, executed: map[string]int{}}
	for line := range bytes.Lines(ran.out) {
		var ev api.Event
		if err := json.Unmarshal(line, &ev); err != nil {
			return nil, err
		}
		switch ev.Type {
		case api.RunStarted:
			r.mode = ev.Mode
		case api.NodeFailed:
			r.allWell = false
		case api.RunComplete:
			r.result, r.counts = string(ev.Result), *ev.Counts
		}
	}
	tracks, err := readTrace(fc.dir)
	for node, t := range tracks {
		r.executed[node] = len(t.begun)
		fc.toll.executions += len(t.begun)
	}
	return r, err
}

var instanceNumber = regexp.MustCompile(`\[\d+\]`)

// judge compares a plan with the executions.
func (fc *forecaster) judge(flags []string, plan *api.Plan, ran answer) error {
	r, err := fc.readRun(ran)
	if err != nil {
		return err
	}
	fc.toll.runs++
	if ran.status != 0 {
		fc.toll.failed++
	}
	fault := func(format string, args ...any) {
		fc.violate("%v (%s): %s", flags, plan.Mode, fmt.Sprintf(format, args...))
	}
	if plan.Mode != r.mode && len(plan.Steps) > 0 {
		fault("plan says mode %s, run says %s", plan.Mode, r.mode)
	}
	p := readPlan(plan)
	for _, path := range slices.Sorted(maps.Keys(r.executed)) {
		like := instanceNumber.ReplaceAllString(path, "[*]")
		if !p.steps[like] {
			fault("%s was executed, and is not in the plan", path)
		} else if p.complete(like) && !p.paths[path] {
			fault("%s was executed, and is none of the planned instances", path)
		}
	}
	if plan.Mode == "fresh" && !strings.Contains(fc.flow.text, "join") && !strings.Contains(fc.flow.text, "non-blocking") {
		for _, x := range p.disorder {
			fault("%s", x)
		}
	}
	if !r.allWell {
		return nil
	}
	for _, path := range slices.Sorted(maps.Keys(p.certain)) {
		if r.executed[path] == 0 {
			fault("%s was to be executed in any case, and was not", path)
		}
	}
	if p.exact {
		fc.toll.exact++
		if n := r.counts.OK; plan.Mode == "fresh" && plan.Nodes != n {
			fault("the plan counts %d nodes, the run %d; executed: %v", plan.Nodes, n, slices.Sorted(maps.Keys(r.executed)))
		}
	}
	return nil
}

// A readyPlan is a plan, indexed for the comparison with a run.
type readyPlan struct {
	steps   map[string]bool // steps that may be executed: n0, n3[*]/n4
	paths   map[string]bool // known instances of them
	certain map[string]bool // paths that are executed in any case
	guessed map[string]bool // steps with more instances that are unknown
	exact   bool            // independent of outcomes
	// disorder describes certain steps that come before others for which they wait. Reasons may be a join,
	// a non-blocking edge, or an edge that fired before a resume.
	disorder []string
}

func readPlan(plan *api.Plan) *readyPlan {
	p := &readyPlan{steps: map[string]bool{}, paths: map[string]bool{}, certain: map[string]bool{}, guessed: map[string]bool{}, exact: plan.Conditional == 0}
	waits := map[string]string{} // certain steps, by the step that they wait for
	for _, s := range plan.Steps {
		p.steps[s.Name] = true
		if early := waits[s.Name]; early != "" && s.Reason != api.PlanConditional {
			p.disorder = append(p.disorder, fmt.Sprintf("the step %s comes before %s, for which it waits", early, s.Name))
		}
		for _, before := range s.After {
			if s.Reason != api.PlanConditional {
				waits[before] = s.Name
			}
		}
		sure := s.Reason != api.PlanConditional && s.Mock == nil && s.Command != ""
		if s.Home == "" {
			p.paths[s.Name] = true
			if sure {
				p.certain[s.Name] = true
			}
			continue
		}
		if s.Instances != len(s.Paths) || s.Instances == 0 {
			p.guessed[s.Name], p.exact = true, false
		}
		for _, path := range s.Paths {
			p.paths[path] = true
			if sure {
				p.certain[path] = true
			}
		}
	}
	return p
}

// complete reports whether the plan contains every instance of a step.
func (p *readyPlan) complete(step string) bool { return !p.guessed[step] }

// why runs wf why for every node, and compares its answers with the status.
func (fc *forecaster) why(ctx context.Context) error {
	var status api.Status
	if err := fc.w.json(ctx, fc.dir, &status, "status", "--json"); err != nil {
		return err
	}
	args := []string{"why", "--json"}
	for _, n := range status.Nodes {
		args = append(args, n.ID)
	}
	a, err := fc.w.wf(ctx, fc.dir, args...)
	if err != nil {
		return err
	}
	fc.calm("why", a)
	told := 0
	for line := range bytes.Lines(a.out) {
		var why api.Why
		if err := json.Unmarshal(line, &why); err != nil {
			return err
		}
		told++
		if text := strings.Join(why.Text, " "); text == "" || strings.Contains(text, "%!") {
			fc.violate("wf why %s says %q", why.Node.ID, text)
		}
	}
	if told < len(status.Nodes) || a.status != 0 {
		fc.violate("wf why tells of %d of %d nodes: %v", told, len(status.Nodes), a)
	}
	fc.toll.reasons += told
	return nil
}
