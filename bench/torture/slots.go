package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"wf/api"
	"wf/bench/dag"
	"wf/workspace/history"
)

// slotsOptions are the flags of slots.
type slotsOptions struct {
	rounds, most, slots, events int
	limit                       time.Duration
}

func setupSlots(flags *flag.FlagSet) func(context.Context, *world) (*report, error) {
	o := &slotsOptions{}
	flags.IntVar(&o.rounds, "n", 20, "rounds, every second one calm")
	flags.IntVar(&o.most, "files", 30, "workfiles at once, at most")
	flags.IntVar(&o.slots, "slots", 2, "slots of the machine")
	flags.IntVar(&o.events, "events", 12, "kills, stops, freezes, restarts and edits of a round that is not calm")
	flags.DurationVar(&o.limit, "limit", 2*time.Minute, "of one round")
	return o.attack
}

// slotScript is executed by every node: ID SECONDS. The trace contains the lines of all workfiles, in
// order.
const slotScript = `#!/bin/sh
echo "begin $1 $WF_EXECUTION $$" >> ../trace
sleep "$2"
echo "end $1 $WF_EXECUTION $$" >> ../trace
`

// A crowd is a set of workfiles that run at the same time.
type crowd struct {
	o      *slotsOptions
	w      *world
	rep    *report
	name   string
	dir    string
	chance *rand.Rand
	files  []crowdFile
	frozen []process
	stops  []*command
	did    map[string]int
}

// A crowdFile is one of them. Its first node may run another workfile.
type crowdFile struct {
	dir    string
	nested bool
	nodes  int
	flags  []string
}

func (o *slotsOptions) attack(ctx context.Context, w *world) (*report, error) {
	rep := newReport("round", "workfiles", "nodes", "most at once", "kills", "freezes", "stops", "restarts", "edits", "time")
	w.env = append(w.env, "WF_SLOTS="+strconv.Itoa(o.slots))
	for round := range o.rounds {
		name := fmt.Sprintf("r%d", round)
		c := &crowd{o: o, w: w, rep: rep, name: name, chance: w.random(name), did: map[string]int{}}
		if err := c.attack(ctx, round%2 == 1); err != nil {
			return rep, fmt.Errorf("%s: %w", name, err)
		}
	}
	return rep, ctx.Err()
}

// attack executes one round.
func (c *crowd) attack(ctx context.Context, wild bool) (err error) {
	if c.dir, err = c.w.folder(c.name); err != nil {
		return err
	}
	n := 3 + c.chance.IntN(max(1, c.o.most-2))
	nodes := 0
	for i := range n {
		f, err := c.write(i, wild)
		if err != nil {
			return err
		}
		c.files = append(c.files, f)
		nodes += f.nodes
	}
	ctx, cancel := context.WithTimeout(ctx, c.o.limit)
	defer cancel()
	begin := time.Now()
	var clients []*command
	for _, f := range c.files {
		client, err := c.w.start(ctx, f.dir, append([]string{"run", "--progress", "none", "--output", "none"}, f.flags...)...)
		if err != nil {
			return err
		}
		clients = append(clients, client)
	}
	if wild {
		c.rage(ctx)
	}
	for _, client := range clients {
		<-client.done
	}
	if err := c.bringHome(ctx); err != nil {
		c.rep.violate("%s: %d workfiles on %d slots do not get to their end (%v): %v", c.name, n, c.o.slots, c.did, err)
		c.w.wf(context.Background(), c.dir, "server", "stop", "--cancel")
		return nil
	}
	most := c.judge(ctx, wild)
	c.rep.row(c.name, n, nodes, most, c.did["kill"], c.did["freeze"], c.did["stop"], c.did["restart"], c.did["edit"],
		time.Since(begin).Round(time.Millisecond))
	return nil
}

// write makes a workfile with a few nodes and edges.
func (c *crowd) write(i int, wild bool) (crowdFile, error) {
	f := crowdFile{dir: filepath.Join(c.dir, fmt.Sprintf("w%02d", i)), nodes: 1 + c.chance.IntN(6), nested: c.chance.IntN(4) == 0}
	if wild && c.chance.IntN(4) == 0 {
		f.flags = []string{"-j", strconv.Itoa(1 + c.chance.IntN(2*c.o.slots))}
	}
	if err := os.Mkdir(f.dir, 0o700); err != nil {
		return f, err
	}
	g := &dag.Graph{}
	for k := range f.nodes {
		node := dag.Node{ID: fmt.Sprintf("w%02dn%d", i, k)}
		node.Command = fmt.Sprintf("./node %s 0.%03d", node.ID, c.chance.IntN(200))
		if k > 0 && c.chance.IntN(2) == 0 {
			node.After = []int{c.chance.IntN(k)}
		}
		g.Nodes = append(g.Nodes, node)
	}
	if err := os.WriteFile(filepath.Join(f.dir, "node"), []byte(slotScript), 0o700); err != nil {
		return f, err
	}
	if f.nested {
		inner := &dag.Graph{Nodes: []dag.Node{{ID: fmt.Sprintf("w%02di0", i), Command: fmt.Sprintf("./node w%02di0 0.05", i)}}}
		if err := writeWorkfile(f.dir, inner); err != nil {
			return f, err
		}
		if err := os.Rename(filepath.Join(f.dir, "Workfile"), filepath.Join(f.dir, "inner")); err != nil {
			return f, err
		}
		g.Nodes = append(g.Nodes, dag.Node{ID: fmt.Sprintf("w%02dx", i), Command: c.w.program + " run inner"})
	}
	return f, writeWorkfile(f.dir, g)
}

// rage causes random events, one after the other, starting before the first command.
func (c *crowd) rage(ctx context.Context) {
	for range c.o.events {
		time.Sleep(time.Duration(c.chance.Int64N(int64(150 * time.Millisecond))))
		f := c.files[c.chance.IntN(len(c.files))]
		switch c.chance.IntN(8) {
		case 0:
			c.strike(ctx, true, false)
		case 1:
			c.strike(ctx, false, true)
		case 2:
			c.strike(ctx, true, true)
		case 3, 4:
			c.freeze(c.chance.IntN(3) == 0)
		case 5:
			c.did["stop"]++
			args := []string{"stop", "--all"}
			if c.chance.IntN(2) == 0 {
				args = append(args, "--now")
			}
			if stop, err := c.w.start(ctx, f.dir, args...); err == nil { // it may be over, not started, or frozen
				c.stops = append(c.stops, stop)
			}
		case 6:
			c.did["restart"]++
			c.w.wf(ctx, c.dir, "server", "restart")
		case 7:
			c.did["edit"]++
			c.edit(f)
		}
	}
	c.thaw()
	for _, stop := range c.stops {
		<-stop.done
	}
}

// strike kills the daemon, a runner, or both. The next daemon gets time to recover the runs: wf
// intentionally quarantines a workfile after three dead daemons in a row.
func (c *crowd) strike(ctx context.Context, daemon, runner bool) {
	c.did["kill"]++
	targets := [2]bool{daemon, runner}
	if c.chance.IntN(2) == 0 { // in either order
		targets[0] = false
	}
	for i, find := range []func() (process, error){c.w.daemon, c.w.runner, c.w.daemon} {
		if wanted := [3]bool{targets[0], runner, daemon && !targets[0]}[i]; !wanted {
			continue
		}
		if p, err := find(); err == nil {
			p.kill()
		}
	}
	if daemon {
		c.w.wf(ctx, c.files[0].dir, "status")
		_ = await(ctx, targetTime, "", func() (bool, error) {
			held, err := history.Quarantined(c.w.state())
			return len(held) == 0, err
		})
	}
}

// freeze stops the daemon or a runner for a while.
func (c *crowd) freeze(daemon bool) {
	c.did["freeze"]++
	find := c.w.runner
	if daemon {
		find = c.w.daemon
	}
	p, err := find()
	if err != nil || p.pause() != nil {
		return
	}
	c.frozen = append(c.frozen, p)
	if daemon || c.chance.IntN(2) == 0 { // some runners stay stopped longer
		time.Sleep(time.Duration(c.chance.Int64N(int64(300 * time.Millisecond))))
		c.thaw()
	}
}

func (c *crowd) thaw() {
	for _, p := range c.frozen {
		p.goOn()
	}
	c.frozen = nil
}

// edit replaces a workfile like other programs: its text with a comment after it.
func (c *crowd) edit(f crowdFile) {
	path := filepath.Join(f.dir, "Workfile")
	data, err := os.ReadFile(path)
	if err != nil {
		return
	}
	tmp := path + ".edit"
	if os.WriteFile(tmp, append(data, "<!-- edited -->\n"...), 0o600) == nil {
		os.Rename(tmp, path)
	}
}

// bringHome resumes the workfiles whose runs were stopped or lost, until each has succeeded.
func (c *crowd) bringHome(ctx context.Context) error {
	for _, f := range c.files {
		for tries := 0; ; tries++ {
			done, err := c.resume(ctx, f)
			if err != nil || tries > 20 {
				return errors.Join(err, fmt.Errorf("%s after %d tries", filepath.Base(f.dir), tries))
			}
			if done {
				break
			}
		}
	}
	return ctx.Err()
}

// resume attaches to the run of a workfile, or resumes it. It reports whether all nodes have succeeded.
func (c *crowd) resume(ctx context.Context, f crowdFile) (done bool, err error) {
	var s api.Status
	a, err := c.w.wf(ctx, f.dir, "status", "--json")
	if err != nil {
		return false, err
	}
	if a.status != 0 {
		if strings.Contains(string(a.err), "server retry") {
			_, err = c.w.wf(ctx, f.dir, "server", "retry")
		}
		return false, err
	}
	if err := c.w.json(ctx, f.dir, &s, "status", "--json"); err != nil {
		return false, err
	}
	switch {
	case len(s.ActiveRuns) > 0:
		var run *command
		run, err = c.w.start(ctx, f.dir, "attach", s.ActiveRuns[0], "--progress", "none")
		if err == nil {
			<-run.done
			err = ctx.Err()
		}
	case s.Counts.OK == len(s.Nodes):
		return true, nil
	default:
		var run *command
		run, err = c.w.start(ctx, f.dir, "run", "--progress", "none", "--output", "none")
		if err == nil {
			<-run.done
			err = ctx.Err()
		}
	}
	return false, err
}

// judge checks the results. It returns the maximum number of concurrent commands.
func (c *crowd) judge(ctx context.Context, wild bool) (most int) {
	text, err := os.ReadFile(filepath.Join(c.dir, "trace"))
	t, parseErr := parseTrace(string(text))
	if err = errors.Join(err, parseErr); err != nil {
		c.rep.violate("%s: %v", c.name, err)
		return 0
	}
	for i, f := range c.files {
		files := map[string]string{"Workfile": "n"}
		if f.nested {
			files["inner"] = "i"
		}
		for file := range files {
			c.judgeFile(ctx, f, file, t, fmt.Sprintf("w%02d", i))
		}
	}
	most = atOnce(string(text))
	if !wild && most > c.o.slots {
		c.rep.violate("%s: %d commands at once on %d slots", c.name, most, c.o.slots)
	}
	var server api.ServerStatus
	if err := c.w.json(ctx, c.dir, &server, "server", "status", "--json"); err == nil && server.SlotsUsed > 0 {
		c.rep.violate("%s: %d slots in use when all is over", c.name, server.SlotsUsed)
	}
	return most
}

// judgeFile compares the trace of a workfile with its records: every node has ended, and none started more
// often than recorded.
func (c *crowd) judgeFile(ctx context.Context, f crowdFile, file string, t trace, what string) {
	var runs api.RunList
	if err := c.w.json(ctx, f.dir, &runs, "runs", "--json", "--file", file); err != nil {
		c.rep.violate("%s %s %s: %v", c.name, what, file, err)
		return
	}
	recorded := map[string]int{}
	for _, r := range runs.Runs {
		var d api.RunDetail
		if err := c.w.json(ctx, f.dir, &d, "runs", "show", r.Run, "--json", "--file", file); err != nil {
			c.rep.violate("%s %s %s: %v", c.name, what, file, err)
			return
		}
		for _, e := range d.Execs {
			recorded[e.Node]++
		}
	}
	for id, tracks := range t {
		inner := strings.HasPrefix(id, what+"i")
		if !strings.HasPrefix(id, what) || inner != (file == "inner") {
			continue
		}
		if len(tracks.begun) > recorded[id] {
			c.rep.violate("%s %s: %s began %d times, %d are recorded", c.name, file, id, len(tracks.begun), recorded[id])
		}
	}
	for id, n := range recorded {
		if n > 0 && !strings.HasSuffix(id, "x") && len(t.of(id).ended) == 0 {
			c.rep.violate("%s %s: %s was executed %d times, and never got to its end", c.name, file, id, n)
		}
	}
}

// atOnce returns the maximum number of concurrent commands, of those that ended.
func atOnce(text string) (most int) {
	ended := map[string]bool{}
	for line := range strings.Lines(text) {
		if key, ok := strings.CutPrefix(line, "end "); ok {
			ended[key] = true
		}
	}
	going := 0
	for line := range strings.Lines(text) {
		if key, ok := strings.CutPrefix(line, "begin "); ok && ended[key] {
			going++
			most = max(most, going)
		} else if ok := strings.HasPrefix(line, "end "); ok {
			going--
		}
	}
	return most
}
