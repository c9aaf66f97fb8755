package main

import (
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

// folders removes files and folders of wf, one in each run, and checks the result: no node is executed
// twice, the run ends or reports why not, it can be stopped, only one daemon is left, and nothing else.

// foldersOptions are the flags of folders.
type foldersOptions struct {
	cases, nodes, jobs int
	limit              time.Duration
	only               string
}

func setupFolders(flags *flag.FlagSet) func(context.Context, *world) (*report, error) {
	o := &foldersOptions{}
	flags.IntVar(&o.cases, "n", 0, "so many cases, by chance; 0 = all of them")
	flags.IntVar(&o.nodes, "nodes", 14, "nodes of a run")
	flags.IntVar(&o.jobs, "j", 3, "nodes at once")
	flags.DurationVar(&o.limit, "limit", 30*time.Second, "for a run to come to its end by itself")
	flags.StringVar(&o.only, "only", "", "cases whose name contains this")
	return o.attack
}

// lostFiles are the files to remove: in the runtime folder (run/), in the state folder (state/), or none.
// ID and N are replaced by the only workspace and its run. Missing files are skipped.
var lostFiles = []string{
	"", "run", "run/daemon.lock", "run/daemon.json", "run/wf.sock",
	"state", "state/daemon.log", "state/kv.db", "state/pools.json", "state/active", "state/active/ID", "state/trials",
	"state/workspaces", "state/workspaces/ID", "state/workspaces/ID/fence", "state/workspaces/ID/past.json",
	"state/workspaces/ID/runs", "state/workspaces/ID/runs/N", "state/workspaces/ID/runs/N/run.json",
	"state/workspaces/ID/runs/N/workfile", "state/workspaces/ID/runs/N/journal", "state/workspaces/ID/runs/N/record",
	"state/workspaces/ID/runs/N/lock", "state/workspaces/ID/runs/N/env", "state/workspaces/ID/runs/N/out",
	"state/workspaces/ID/runs/N/birth", "state/workspaces/ID/runs/N/socket", "state/workspaces/ID/runs/N/runner.log",
}

// lossStages are the moments of the loss, by the number of lines in the trace.
var lossStages = []struct {
	name  string
	lines int
}{{"at once", 0}, {"begun", 1}, {"middle", 10}}

// Additional events for the daemon, and whether a client connects at once.
var lossEvents = []string{"alone", "client", "kill", "kill client", "freeze client", "term", "stop runner"}

// A loss is a case.
type loss struct {
	file, event string
	stage       int
}

func (l loss) String() string {
	name := l.file
	if name == "" {
		name = "nothing"
	}
	return name + ", " + lossStages[l.stage].name + ", " + l.event
}

func losses() (all []loss) {
	for _, file := range lostFiles {
		for stage := range lossStages {
			for _, event := range lossEvents {
				all = append(all, loss{file, event, stage})
			}
		}
	}
	return all
}

func (o *foldersOptions) attack(ctx context.Context, w *world) (*report, error) {
	rep := newReport("event", "cases", "lost", "over", "said why", "forgotten", "violations", "time")
	cases := slices.DeleteFunc(losses(), func(l loss) bool { return !strings.Contains(l.String(), o.only) })
	w.random("folders").Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
	if o.cases > 0 {
		cases = cases[:min(o.cases, len(cases))]
	}
	sums := map[string]*lossToll{}
	for i, l := range cases {
		if ctx.Err() != nil {
			break
		}
		if sums[l.event] == nil {
			sums[l.event] = &lossToll{}
		}
		begin, before := time.Now(), len(rep.violations)
		c := &lossCase{o: o, w: w, loss: l, toll: sums[l.event], rep: rep}
		if err := c.run(ctx, fmt.Sprintf("loss%d", i)); err != nil {
			return rep, fmt.Errorf("%v: %w", l, err)
		}
		sums[l.event].cases++
		sums[l.event].violations += len(rep.violations) - before
		sums[l.event].time += time.Since(begin)
	}
	for _, event := range slices.Sorted(maps.Keys(sums)) {
		t := sums[event]
		rep.row(event, t.cases, t.lost, t.over, t.why, t.forgotten, t.violations, t.time.Round(time.Second))
	}
	return rep, ctx.Err()
}

// A lossToll is the row of one event.
type lossToll struct {
	cases, lost, over, why, forgotten, violations int
	time                                          time.Duration
}

// A lossCase is one run in its own folders.
type lossCase struct {
	loss
	o      *foldersOptions
	w      *world
	toll   *lossToll
	rep    *report
	dir    string
	plan   plan
	chance *rand.Rand
}

func (c *lossCase) violate(format string, args ...any) {
	c.rep.violate("%v (%s): %s", c.loss, filepath.Base(c.dir), fmt.Sprintf(format, args...))
}

func (c *lossCase) run(ctx context.Context, name string) error {
	c.chance = c.w.random(name + c.loss.String())
	c.plan = newPlan(c.o.nodes, 3, c.chance)
	var err error
	if c.dir, err = c.w.folder(name); err == nil {
		err = c.plan.write(c.dir)
	}
	if err != nil {
		return err
	}
	a, err := c.w.wf(ctx, c.dir, "run", "-d", "-j", fmt.Sprint(c.o.jobs))
	if err != nil {
		return err
	}
	if a.status != 0 {
		c.violate("the run does not begin: %v", a)
		return c.clear()
	}
	if err := c.strike(ctx); err != nil {
		return err
	}
	if err := c.settle(ctx); err != nil {
		return err
	}
	c.judge(ctx)
	return c.clear()
}

// strike waits for the stage, removes the file, and causes the event.
func (c *lossCase) strike(ctx context.Context) error {
	err := await(ctx, c.o.limit, "the stage", func() (bool, error) {
		t, err := os.ReadFile(filepath.Join(c.dir, "trace"))
		return strings.Count(string(t), "\n") >= lossStages[c.stage].lines || c.complete(), ignoreMissing(err)
	})
	if err != nil {
		return err
	}
	victim, err := c.w.daemon()
	if c.event == "stop runner" {
		victim, err = c.w.runner()
	}
	if err != nil && !errors.Is(err, errGone) {
		return err
	}
	living := err == nil
	frozen := living && (c.event == "freeze client" || c.event == "stop runner")
	if frozen {
		if err := victim.pause(); err != nil && !errors.Is(err, errGone) {
			return err
		}
	}
	if living && c.event == "term" {
		_ = victim.term()
	}
	if err := c.remove(); err != nil {
		return err
	}
	if living && strings.HasPrefix(c.event, "kill") {
		_ = victim.kill()
	}
	var client *command
	if strings.HasSuffix(c.event, "client") {
		if client, err = c.w.start(ctx, c.dir, "status"); err != nil {
			return err
		}
	}
	if frozen {
		select {
		case <-time.After(1500 * time.Millisecond):
		case <-ctx.Done():
		}
		_ = victim.goOn()
	}
	if client != nil {
		select {
		case <-client.done:
		case <-time.After(clientTime):
			c.violate("wf status does not return")
			_ = client.cmd.Process.Kill()
			<-client.done
		}
	}
	return nil
}

// remove removes the file at its current place.
func (c *lossCase) remove() error {
	if c.file == "" {
		return nil
	}
	pattern := strings.NewReplacer("/ID", "/*", "/N", "/1").Replace(c.file)
	found, err := filepath.Glob(filepath.Join(c.w.dir, pattern))
	if err != nil {
		return err
	}
	for _, path := range found {
		c.toll.lost++
		gone := path + ".lost" // a rename removes a folder in one step, like an unmount
		if err := os.Rename(path, gone); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := os.RemoveAll(gone); err != nil {
			return err
		}
	}
	return nil
}

// complete reports whether every expected node has ended.
func (c *lossCase) complete() bool {
	t, err := readTrace(c.dir)
	if err != nil {
		return false // a line is being written
	}
	for id, fate := range c.plan.fates(nil) {
		if fate != fateIdle && len(t.of(id).ended) == 0 {
			return false
		}
	}
	return true
}

// settle waits, without a client, until the run is complete, or until nothing has happened for a while and
// no command runs.
func (c *lossCase) settle(ctx context.Context) error {
	const quiet = 8 * time.Second // a runner starts a daemon after 3 s
	last, since := int64(-1), time.Now()
	err := await(ctx, c.o.limit, "", func() (bool, error) {
		info, err := os.Stat(filepath.Join(c.dir, "trace"))
		if err == nil && info.Size() != last {
			last, since = info.Size(), time.Now()
		}
		return c.complete() || time.Since(since) > quiet, nil
	})
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil // its current state counts
	}
	return err
}

// judge checks the result of the run.
func (c *lossCase) judge(ctx context.Context) {
	c.once()
	over, why, err := c.runStatus(ctx)
	if err == nil && !over && why == "" {
		before := c.complete()
		if err = c.settle(ctx); err == nil {
			err = await(ctx, settleTime, "", func() (bool, error) { // the end of the run follows that of the last command
				var err error
				over, why, err = c.runStatus(ctx)
				return over || why != "" || !c.complete(), err
			})
		}
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			err = nil // the last status counts
		}
		if !before && c.complete() {
			c.violate("the run stood still until a client came")
		}
	}
	switch {
	case err != nil:
		c.violate("%v", err)
	case over && c.complete():
		c.toll.over++
	case why != "":
		c.toll.why++
	case over:
		c.violate("the run is over and not complete, and nothing says why")
	default:
		c.violate("the run stands still, and nothing says why")
	}
	if a, err := c.w.wf(ctx, c.dir, "stop", "--now"); err != nil || a.status != 0 {
		c.violate("wf stop: %v, %v", a, err)
	}
	var left []process
	err = await(ctx, leftOver, "", func() (bool, error) {
		var err error
		left, err = c.w.below(c.dir)
		return len(left) == 0, err
	})
	if err != nil {
		for _, p := range left {
			c.violate("process %d is left: %q", p.pid, p.argv())
		}
	}
	if err := await(ctx, settleTime, "", func() (bool, error) { return c.daemons() <= 1, nil }); err != nil {
		c.violate("%d daemons", c.daemons())
	}
	c.once()
}

// leftOver is how long processes of a stopped or lost run may still exist: a runner without a folder waits
// until no daemon has come.
const leftOver = 15 * time.Second

// once checks that no node was executed twice.
func (c *lossCase) once() {
	t, err := readTrace(c.dir)
	if err != nil {
		c.violate("%v", err)
		return
	}
	for i := range c.plan {
		if begun := len(t.of(c.plan[i].id).begun); begun > 1 {
			c.violate("%s was executed %d times", c.plan[i].id, begun)
		}
	}
}

// historyLost reports whether the removed file was the only information about the run.
func (c *lossCase) historyLost() bool {
	return slices.Contains([]string{"state", "state/workspaces", "state/workspaces/ID", "state/workspaces/ID/runs", "state/workspaces/ID/runs/N"}, c.file)
}

// runStatus returns whether the run is over, according to wf status, and the problem that it reports. A run that
// wf status does not know, because its folder was removed, counts as over.
func (c *lossCase) runStatus(ctx context.Context) (over bool, why string, err error) {
	var status api.Status
	a, err := c.w.wf(ctx, c.dir, "status", "--json")
	if err != nil {
		return false, "", err
	}
	if a.status != 0 {
		return false, strings.TrimSpace(string(a.err)), nil
	}
	if err := json.Unmarshal(a.out, &status); err != nil {
		return false, "", err
	}
	for _, r := range status.Runs {
		why += r.Held + r.Problem
	}
	why += status.Problem
	a, err = c.w.wf(ctx, c.dir, "runs", "show", "1", "--json")
	if err != nil {
		return false, "", err
	}
	if a.status != 0 {
		if c.historyLost() {
			c.toll.forgotten++
		} else if why == "" {
			c.violate("runs show: %v", a)
		}
		return len(status.ActiveRuns) == 0, why + string(a.err), nil
	}
	var d api.RunDetail
	if err := json.Unmarshal(a.out, &d); err != nil {
		return false, "", err
	}
	why += d.Problem + d.Held
	for _, x := range d.Execs {
		if x.Reason == api.ReasonLost {
			why += x.Message
		}
	}
	return d.Result != "", why, nil
}

var daemonWords = regexp.MustCompile(`server start --foreground`)

// daemons returns the number of daemons of this world.
func (c *lossCase) daemons() (n int) {
	all, err := processes()
	if err != nil {
		return 0
	}
	for _, p := range all {
		if !p.zombie && !p.bare && p.program() == c.w.program && daemonWords.MatchString(strings.Join(p.argv(), " ")) {
			n++
		}
	}
	return n
}

// clear ends all processes and removes the folders of wf, so that the next case starts from nothing.
func (c *lossCase) clear() error {
	if err := await(context.Background(), settleTime, "end what is left", c.w.killAll); err != nil {
		return err
	}
	return errors.Join(os.RemoveAll(c.w.runtime()), os.RemoveAll(c.w.state()), os.RemoveAll(c.dir))
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
