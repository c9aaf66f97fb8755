package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"time"

	"wf/api"
	"wf/bench/dag"
)

// leakOptions are the flags of leak.
type leakOptions struct {
	nodes, size, workfiles, warm int
	memory                       int
}

func setupLeak(flags *flag.FlagSet) func(context.Context, *world) (*report, error) {
	o := &leakOptions{}
	flags.IntVar(&o.nodes, "n", 20_000, "nodes between the two looks")
	flags.IntVar(&o.size, "size", 1000, "nodes of a run")
	flags.IntVar(&o.workfiles, "workfiles", 1, "workfiles that take turns; with more than 16 the daemon soon closes them again")
	flags.IntVar(&o.warm, "warm", 3, "runs before the first look, at least one of each workfile")
	flags.IntVar(&o.memory, "memory", 10, "growth of memory that is no leak, in percent")
	return o.attack
}

// attack runs the nodes in one daemon and measures it before and after. Goroutines are only listed by a
// daemon that ends with a dump, so those of the beginning are counted in another daemon, which ends there.
func (o *leakOptions) attack(ctx context.Context, w *world) (*report, error) {
	dirs, err := o.write(w)
	if err != nil {
		return nil, err
	}
	o.warm = max(o.warm, o.workfiles)
	_, _, first, err := o.life(ctx, w, dirs, 0)
	if err != nil {
		return nil, err
	}
	runs := (o.nodes + o.size - 1) / o.size
	begin := time.Now()
	before, after, last, err := o.life(ctx, w, dirs, runs)
	if err != nil {
		return nil, err
	}
	rep := newReport("", "descriptors", "goroutines", "threads", "children", "zombies", "files", "memory KiB")
	rep.row(fmt.Sprintf("after %d nodes", o.warm*o.size), before.descriptors, first, before.threads, before.children, before.zombies, before.files, before.memory())
	rep.row(fmt.Sprintf("after %d more", runs*o.size), after.descriptors, last, after.threads, after.children, after.zombies, after.files, after.memory())
	rep.note("%d runs in %s", o.warm+runs, time.Since(begin).Round(time.Second))
	o.compare(rep, before, after, first, last)
	return rep, nil
}

// write writes the workfiles and returns their folders.
func (o *leakOptions) write(w *world) ([]string, error) {
	g, err := dag.New("layered", o.size, "true", w.seed)
	if err != nil {
		return nil, err
	}
	var dirs []string
	for i := range o.workfiles {
		dir, err := w.folder(fmt.Sprint("leak", i))
		if err == nil {
			err = writeWorkfile(dir, g)
		}
		if err != nil {
			return nil, err
		}
		dirs = append(dirs, dir)
	}
	return dirs, nil
}

// compare reports what has grown. Threads are only shown: the Go runtime keeps threads that it once
// needed.
func (o *leakOptions) compare(rep *report, before, after rest, first, last int) {
	for _, c := range []struct {
		what          string
		before, after int
	}{
		{"descriptors", before.descriptors, after.descriptors},
		{"goroutines", first, last},
		{"children", 0, after.children},
		{"zombies", 0, after.zombies},
		{"files in the runtime folder", before.files, after.files},
	} {
		if c.after > c.before {
			rep.violate("%s: %d became %d", c.what, c.before, c.after)
		}
	}
	if after.least*100 > before.most*int64(100+o.memory) {
		rep.violate("memory: at most %d KiB became at least %d KiB, more than %d %% on top", before.most, after.least, o.memory)
	}
}

// life is the life of one daemon: it warms up, is measured, works, is measured again, and dumps its
// goroutines.
func (o *leakOptions) life(ctx context.Context, w *world, dirs []string, runs int) (before, after rest, goroutines int, err error) {
	d, err := w.serve(ctx, idleTime)
	if err != nil {
		return before, after, 0, err
	}
	defer d.end()
	if before, err = o.work(ctx, w, d, dirs, o.warm); err != nil {
		return before, after, 0, err
	}
	if after, err = o.work(ctx, w, d, dirs, runs); err != nil {
		return before, after, 0, err
	}
	goroutines, err = d.goroutines()
	return before, after, goroutines, err
}

// A rest is the footprint of the daemon after several runs. least and most are its memory in KiB after some of
// the last runs: the garbage collector lets it vary by some MiB, so only a change of the whole range is a leak.
type rest struct {
	footprint
	files       int // in the runtime folder
	least, most int64
}

func (r rest) memory() string { return fmt.Sprintf("%d-%d", r.least, r.most) }

// looks is how often the footprint is taken in the second half of the runs.
const looks = 10

// work runs the workfiles in turn and returns the footprint after the runs; the memory is that of their second half.
func (o *leakOptions) work(ctx context.Context, w *world, d *server, dirs []string, runs int) (rest, error) {
	var r rest
	every := max(1, runs/2/looks)
	for i := range runs {
		dir := dirs[i%len(dirs)]
		a, err := w.wf(ctx, dir, "run", "--fresh", "-j", "8", "--progress", "none")
		if err != nil {
			return r, err
		}
		if a.status != 0 {
			return r, fmt.Errorf("wf run: %v", a)
		}
		if left := runs - 1 - i; i < runs/2 || left%every != 0 {
			continue
		}
		if r.footprint, r.files, err = o.atRest(ctx, w, d, dir); err != nil {
			return r, err
		}
		if r.least == 0 {
			r.least = r.memoryKB
		}
		r.least, r.most = min(r.least, r.memoryKB), max(r.most, r.memoryKB)
	}
	return r, nil
}

// atRest returns the footprint of the daemon, and the number of files in the runtime folder, after it has closed all
// workfiles.
func (o *leakOptions) atRest(ctx context.Context, w *world, d *server, dir string) (f footprint, files int, err error) {
	err = await(ctx, settleTime, "the daemon closes the workfiles", func() (bool, error) {
		var status api.ServerStatus
		err := w.json(ctx, dir, &status, "server", "status", "--json")
		return len(status.Workspaces) == 0, err
	})
	if err != nil {
		return f, 0, err
	}
	if f, err = d.settled(ctx); err != nil {
		return f, 0, err
	}
	err = filepath.WalkDir(w.runtime(), func(_ string, _ fs.DirEntry, err error) error {
		files++
		return err
	})
	return f, files, err
}

// A server is a daemon in the foreground, which runs until it is stopped.
type server struct {
	process
	*command
	cancel context.CancelFunc
}

// idleTime is the idle timeout of the daemon. It must be longer than settleTime, in which no client calls. The daemon closes
// unused workfiles after a quarter of it.
const idleTime = settleTime + time.Second

// serve starts a daemon with an idle timeout, 0 for none, and returns when it answers. The caller calls end.
func (w *world) serve(ctx context.Context, idle time.Duration) (*server, error) {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	c, err := w.start(own, w.dir, "server", "start", "--foreground", "--idle-timeout", idle.String())
	if err != nil {
		cancel()
		return nil, err
	}
	s := &server{command: c, cancel: cancel}
	err = await(ctx, targetTime, "a daemon in the foreground", func() (bool, error) {
		var err error
		s.process, err = w.daemon()
		return err == nil && s.pid == c.cmd.Process.Pid, ignoreGone(err)
	})
	if err != nil {
		s.end()
		return nil, err
	}
	return s, nil
}

// end kills the daemon if it still runs.
func (s *server) end() {
	s.cancel()
	<-s.done
}

// steadyLooks is how often in a row a daemon must have the same footprint.
const steadyLooks = 20

// settled returns the footprint of the daemon when only its memory still changes: the connection of the
// last client takes a moment to end.
func (s *server) settled(ctx context.Context) (footprint, error) {
	var last footprint
	same := 0
	err := await(ctx, settleTime, "the daemon comes to rest", func() (bool, error) {
		now, err := s.footprint()
		same++
		if memory := last.memoryKB; now != last {
			last = now
			last.memoryKB = memory
			if now != last {
				same = 0
			}
			last.memoryKB = now.memoryKB
		}
		return same >= steadyLooks, err
	})
	return last, err
}

// goroutines ends the daemon and counts the goroutines of its dump.
func (s *server) goroutines() (int, error) {
	if err := s.quit(); err != nil {
		return 0, err
	}
	select {
	case <-s.done:
	case <-time.After(targetTime):
		return 0, errors.New("the daemon does not end with a dump")
	}
	n := 0
	for line := range bytes.Lines(s.answer.err) {
		if word, rest, _ := bytes.Cut(line, []byte(" ")); string(word) == "goroutine" {
			id, _, _ := bytes.Cut(rest, []byte(" "))
			if _, err := strconv.Atoi(string(id)); err == nil && string(id) != "0" { // 0 belongs to the runtime
				n++
			}
		}
	}
	if n == 0 {
		return 0, fmt.Errorf("no goroutine in the dump of the daemon: %v", s.answer)
	}
	return n, nil
}
