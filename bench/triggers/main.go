// Command triggers measures the triggers of workfiles: the share of a processor that a daemon with many enabled workfiles
// takes while nothing is due, and how long after their instants runs are decided and their commands begin.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

var (
	count  = flag.Int("n", 1000, "number of enabled workfiles that are not due; 0 skips the first measurement")
	busy   = flag.Int("busy", 10, "number of further workfiles with a run every -every")
	every  = flag.Duration("every", 5*time.Second, "the interval of these")
	length = flag.Duration("for", time.Minute, "time of each of the two measurements")
	binary = flag.String("wf", "", "the program; empty: it is built")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "triggers:", err)
		os.Exit(1)
	}
}

// A place is the folders of a daemon of its own.
type place struct{ dir, program string }

// run measures. An interrupt ends it, and its daemon.
func run(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "wf")
	if err != nil {
		return err
	}
	p := place{dir, *binary}
	defer func() { err = errors.Join(err, p.clean()) }()
	for _, name := range []string{"run", "state", "files"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			return err
		}
	}
	if p.program == "" {
		p.program = filepath.Join(dir, "wf")
		if out, err := exec.Command("go", "build", "-o", p.program, "./cmd/wf").CombinedOutput(); err != nil {
			return fmt.Errorf("build: %w: %s", err, out)
		}
	}
	if err := p.enableAll("idle", *count, func(i int) string { return fmt.Sprintf("cron: %d %d 1 1 *", i%60, i/60%24) }); err != nil {
		return err
	}
	if *count > 0 {
		share, err := p.share(ctx, *length)
		if err != nil {
			return err
		}
		fmt.Printf("%d enabled workfiles, none due: %.4f %% of a processor in %v\n", *count, 100*share, *length)
	}
	// Intervals count from a whole second: most have the same.
	if err := sleep(ctx, time.Until(time.Now().Truncate(time.Second).Add(time.Second))); err != nil {
		return err
	}
	if err := p.enableAll("busy", *busy, func(int) string { return "every: " + every.String() }); err != nil {
		return err
	}
	if err := sleep(ctx, *length); err != nil {
		return err
	}
	decided, begun, err := p.delays()
	if err != nil {
		return err
	}
	report("decided after the instant", decided)
	report("command begun after the instant", begun)
	return nil
}

// sleep waits, or returns an error if ctx is over before.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// clean stops the daemon and removes the folder.
func (p place) clean() error {
	_, err := p.wf("server", "stop", "--cancel")
	return errors.Join(err, os.RemoveAll(p.dir))
}

func (p place) wf(args ...string) (string, error) {
	cmd := exec.Command(p.program, args...)
	cmd.Dir = filepath.Join(p.dir, "files")
	cmd.Env = append(os.Environ(), "WF_RUNTIME_DIR="+filepath.Join(p.dir, "run"), "WF_STATE_DIR="+filepath.Join(p.dir, "state"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("wf %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return string(out), err
}

const workfile = `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="label" for="node" attr.name="label" attr.type="string"/>
  <key id="on" for="graph" attr.name="on" attr.type="string"/>
  <graph edgedefault="directed">
    <data key="on">%s</data>
    <node id="a"><data key="label">echo "$WF_TRIGGER_TIME $(date +%%s%%N)" &gt;&gt; %s.log</data></node>
  </graph>
</graphml>
`

// enableAll creates workfiles with triggers and enables them.
func (p place) enableAll(name string, n int, on func(int) string) error {
	var all sync.WaitGroup
	work := make(chan int)
	errs := make([]error, runtime.NumCPU())
	for worker := range errs {
		all.Go(func() {
			for i := range work {
				file := fmt.Sprintf("%s%d", name, i)
				err := os.WriteFile(filepath.Join(p.dir, "files", file), fmt.Appendf(nil, workfile, on(i), file), 0o600)
				if err == nil {
					_, err = p.wf("trigger", "enable", "--yes", file)
				}
				errs[worker] = errors.Join(errs[worker], err)
			}
		})
	}
	for i := range n {
		work <- i
	}
	close(work)
	all.Wait()
	return errors.Join(errs...)
}

// share returns the share of a processor that the daemon takes.
func (p place) share(ctx context.Context, d time.Duration) (float64, error) {
	data, err := os.ReadFile(filepath.Join(p.dir, "run", "daemon.json"))
	if err != nil {
		return 0, err
	}
	var reg struct{ PID int }
	if err := json.Unmarshal(data, &reg); err != nil {
		return 0, err
	}
	if err := sleep(ctx, 15*time.Second); err != nil { // the workfiles that were looked at close
		return 0, err
	}
	before, err := processorTime(reg.PID)
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	if err := sleep(ctx, d); err != nil {
		return 0, err
	}
	after, err := processorTime(reg.PID)
	return float64(after-before) / float64(time.Since(begin)), err
}

// processorTime returns the time that all threads of a process have run, from /proc.
func processorTime(pid int) (sum time.Duration, err error) {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(files) == 0 {
		return 0, errors.Join(err, errors.New("this system has no /proc/PID/task/TID/schedstat"))
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // the thread has ended
		}
		n, err := strconv.ParseInt(strings.Fields(string(data))[0], 10, 64)
		if err != nil {
			return 0, err
		}
		sum += time.Duration(n)
	}
	return sum, nil
}

// delays returns the delays of the starts in the ledger, and of the commands in their logs.
func (p place) delays() (decided, begun []time.Duration, err error) {
	f, err := os.Open(filepath.Join(p.dir, "state", "triggers", "ledger"))
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var r struct {
			Op            string
			Time, Instant time.Time
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, nil, err
		}
		if r.Op == "start" {
			decided = append(decided, r.Time.Sub(r.Instant))
		}
	}
	logs, err := filepath.Glob(filepath.Join(p.dir, "files", "*.log"))
	if err != nil {
		return nil, nil, err
	}
	for _, log := range logs {
		data, err := os.ReadFile(log)
		if err != nil {
			return nil, nil, err
		}
		for line := range strings.Lines(string(data)) {
			words := strings.Fields(line)
			instant, err := time.Parse(time.RFC3339, words[0])
			if err != nil {
				return nil, nil, err
			}
			n, err := strconv.ParseInt(words[1], 10, 64)
			if err != nil {
				return nil, nil, err
			}
			begun = append(begun, time.Unix(0, n).Sub(instant))
		}
	}
	return decided, begun, nil
}

// report prints median, 99th percentile and maximum.
func report(what string, list []time.Duration) {
	if len(list) == 0 {
		fmt.Printf("%s: nothing was started\n", what)
		return
	}
	slices.Sort(list)
	at := func(q float64) time.Duration { return list[int(q*float64(len(list)-1))].Round(10 * time.Microsecond) }
	fmt.Printf("%s: median %v, 99 %% %v, most %v (%d)\n", what, at(0.5), at(0.99), at(1), len(list))
}
