package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"wf/api"
	"wf/cmd/wf/exit"
)

// TestPatterns runs every workfile of examples/patterns with the real program and compares the result with its
// comment, with the daemon that ran it and with the next one. Questions are answered when the run reports
// them.
func TestPatterns(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a daemon")
	}
	files, err := filepath.Glob(filepath.Join(patternFolder, "*.graphml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no workfiles in %s: %v", patternFolder, err)
	}
	w := newPatternSandbox(t)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".graphml"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p := &patternRun{t: t, w: w, dir: t.TempDir(), expect: readExpectation(t, string(data))}
			if err := os.WriteFile(filepath.Join(p.dir, defaultWorkfile), data, 0o644); err != nil {
				t.Fatal(err)
			}
			p.check()
			p.run()
			p.compare()
			p.wf("server", "stop")
			p.compare()
		})
	}
}

// patternFolder contains a workfile for each pattern.
const patternFolder = "../../examples/patterns"

// patternRun is one workfile in a folder of its own.
type patternRun struct {
	t      *testing.T
	w      *sandbox
	dir    string
	expect *patternEnd
}

// command returns a wf command that is killed after a time limit.
func (p *patternRun) command(args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	p.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, filepath.Join(p.w.bin, "wf"), args...)
	cmd.Dir, cmd.Env = p.dir, p.w.vars
	return cmd
}

// wf runs a command that must succeed and returns its output.
func (p *patternRun) wf(args ...string) string {
	p.t.Helper()
	var stderr strings.Builder
	cmd := p.command(args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		p.t.Fatalf("wf %s: %v\n%s%s", strings.Join(args, " "), err, out, stderr.String())
	}
	return string(out)
}

func (p *patternRun) check() {
	var c api.Check
	if err := json.Unmarshal([]byte(p.wf("check", "--json")), &c); err != nil || !c.OK || len(c.Problems) > 0 {
		p.t.Errorf("wf check: %+v, %v", c, err)
	}
}

// run runs the workfile to its end. The exit status must fit the result.
func (p *patternRun) run() {
	var stderr strings.Builder
	cmd := p.command(append([]string{"run", "--json"}, p.expect.args...)...)
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	left, output := p.answer(out)
	err = cmd.Wait()
	var exited *exec.ExitError
	if err != nil && !errors.As(err, &exited) {
		p.t.Fatal(err)
	}
	want := map[api.Result]int{api.Succeeded: exit.OK, api.ResFailed: exit.Failed, api.Cancelled: exit.Stopped}[p.expect.result]
	if got := cmd.ProcessState.ExitCode(); got != want || left > 0 {
		p.t.Fatalf("wf run ended with %d, want %d; %d steps were left\n%s%s", got, want, left, output, stderr.String())
	}
}

// answer follows the events of a run and executes each step after its event. It returns the number of remaining steps and
// the last events.
func (p *patternRun) answer(events io.Reader) (left int, output string) {
	var b strings.Builder
	seen := map[string]bool{}
	steps := p.expect.steps
	lines := bufio.NewScanner(events)
	for lines.Scan() {
		b.WriteString(lines.Text() + "\n")
		var ev api.Event
		if err := json.Unmarshal(lines.Bytes(), &ev); err != nil {
			p.t.Errorf("an event is not JSON: %s", lines.Text())
			continue
		}
		switch {
		case ev.Type == api.NodeWaiting && ev.Wait != nil && ev.Wait.Kind == api.WaitApproval:
			seen["approve "+ev.Name], seen["reject "+ev.Name] = true, true
		case ev.Type == api.NodeFinished:
			seen["await "+ev.Name] = true
		}
		for len(steps) > 0 && seen[steps[0].verb+" "+steps[0].node] {
			if steps[0].verb != "await" {
				p.wf(append([]string{steps[0].verb, steps[0].node}, steps[0].args...)...)
			}
			steps = steps[1:]
		}
	}
	output = b.String()
	return len(steps), output[max(0, len(output)-4000):]
}

// compare compares the state after the run with the expectation.
func (p *patternRun) compare() {
	var s api.Status
	if err := json.Unmarshal([]byte(p.wf("status", "--json")), &s); err != nil {
		p.t.Fatal(err)
	}
	if s.LastRun == nil || s.LastRun.Result != p.expect.result {
		p.t.Errorf("last run %+v, want %s", s.LastRun, p.expect.result)
	}
	states := map[string]bool{}
	for _, n := range s.Nodes {
		if n.Parent != "" {
			continue // the container has the states of its instances
		}
		states[n.Name] = true
		p.compareNode(n)
	}
	for name := range p.expect.states {
		if !states[name] {
			p.t.Errorf("there is no node %s", name)
		}
	}
	for _, o := range p.expect.outputs {
		var out api.NodeOutputs
		if err := json.Unmarshal([]byte(p.wf("out", o.node, "--json")), &out); err != nil || fmt.Sprint(out.Outputs[o.key]) != o.value {
			p.t.Errorf("outputs of %s are %v, want %s=%s (%v)", o.node, out.Outputs, o.key, o.value, err)
		}
	}
}

func (p *patternRun) compareNode(n api.NodeStatus) {
	want, expected := p.expect.states[n.Name]
	if !expected {
		p.t.Errorf("node %s without an expectation is %q", n.Name, n.Status)
		return
	}
	if !want.fits(n) {
		p.t.Errorf("node %s is %q (%s) %s, want %s", n.Name, n.Status, n.State, n.Message, want)
	}
	if times, expected := p.expect.times[n.Name]; expected && n.Executions != times {
		p.t.Errorf("node %s was executed %d times, want %d", n.Name, n.Executions, times)
	}
	if count, expected := p.expect.instances[n.Name]; expected && (n.Instances == nil || n.Instances.Begun != count) {
		p.t.Errorf("sub-flow %s: %+v, want %d instances", n.Name, n.Instances, count)
	}
}
