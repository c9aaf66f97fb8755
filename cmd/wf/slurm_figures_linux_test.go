package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"wf/api"
	"wf/executor/cluster/slurmtest"
)

var slurmFigures = flag.Bool("slurm-figures", false, "measure the executor of a real Slurm with three nodes of four processors")

// TestSlurmFigures measures what docs/clusters.md says about times.
func TestSlurmFigures(t *testing.T) {
	if !*slurmFigures {
		t.Skip("measures; see make bench-slurm")
	}
	bin := filepath.Join(buildProgram(t), "wf")
	t.Run("pool", func(t *testing.T) {
		for range 3 {
			slurmPoolFigure(t, bin)
		}
	})
	for _, mode := range []string{"array", "pool"} {
		t.Run("end noticed, "+mode, func(t *testing.T) { slurmEndFigure(t, bin, mode) })
	}
}

// slurmPoolFigure measures how long a thousand short commands take in a pool of twelve processors that has to be asked for.
func slurmPoolFigure(t *testing.T, wf string) {
	const count = 1000
	s := newSite(t, wf, slurmtest.Config{Nodes: 3, CPUs: 4}, "mode = \"pool\"\npool_size = 12\n")
	s.workfile(shortNodes(count))
	began := time.Now()
	var first time.Time
	starts := map[int]int{}
	s.events(func(e api.Event) {
		if e.Type == api.NodeStarted {
			if first.IsZero() {
				first = time.Now()
			}
			starts[int(time.Since(began).Seconds())]++
		}
	})
	t.Logf("%d commands `true` took %v, %v of them in the allocation; %d calls of sbatch, %d of squeue", count, since(began), since(first),
		len(s.calls("sbatch")), len(s.calls("squeue")))
	t.Logf("starts in each second: %v", starts)
}

// events runs the workfile on the cluster and calls f with each event when it arrives.
func (s *site) events(f func(api.Event)) {
	s.Helper()
	cmd := s.command("run", "--executor", "hpc", "--json")
	out, err := cmd.StdoutPipe()
	s.must(err)
	s.must(cmd.Start())
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var e api.Event
		s.must(json.Unmarshal(lines.Bytes(), &e))
		f(e)
	}
	s.must(cmd.Wait())
}

// shortNodes are nodes without dependencies that do nothing.
func shortNodes(count int) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, "n%d: true\n", i)
	}
	return b.String()
}

// slurmEndFigure measures the time from the end of a command until a watcher of the run learns it. The commands end at
// different times, one after the other.
func slurmEndFigure(t *testing.T, wf, mode string) {
	const count = 40
	s := newSite(t, wf, slurmtest.Config{Nodes: 3, CPUs: 16}, "mode = \""+mode+"\"\npool_size = 16\n")
	var text strings.Builder
	for i := range count {
		fmt.Fprintf(&text, "n%d: sleep %.1f; date +%%s.%%N > ran/n%d\n", i, 5+float64(i)*0.7, i)
	}
	s.workfile(text.String())
	var delays []time.Duration
	s.events(func(e api.Event) {
		if e.Type != api.NodeFinished {
			return
		}
		now := time.Now()
		written, err := os.ReadFile(s.path("ran/" + e.Name))
		s.must(err)
		seconds, err := strconv.ParseFloat(strings.TrimSpace(string(written)), 64)
		s.must(err)
		delays = append(delays, now.Sub(time.UnixMicro(int64(seconds*1e6))))
	})
	if len(delays) != count {
		t.Fatalf("%d of %d ends", len(delays), count)
	}
	t.Logf("mode %s: %s", mode, quantiles(delays))
}
