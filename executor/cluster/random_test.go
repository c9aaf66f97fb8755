package cluster_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wf/executor"
)

// Whatever fails on the way, and how often the daemon is replaced: each command runs once, and its end is reported.
func TestRandomFaults(t *testing.T) {
	seeds := 6
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { randomFaults(t, uint64(seed)) })
	}
}

func randomFaults(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 14))
	c, dir := fakeSlurm(t)
	c.ArraySize = 1 + random.IntN(5)
	c.QueueSize = 1 + random.IntN(12)
	r := open(t, c)
	commands := make([]string, 20)
	for i := range commands {
		commands[i] = fmt.Sprintf("echo %d >> %s; exit %d", i, filepath.Join(r.spec.Cwd, "runs"), i%3)
	}
	ended := map[int]executor.Report{}
	r.start(commands...)
	faults := []string{"lose-answer", "no-controller", "refuse", "half"}
	limit := time.Now().Add(time.Minute)
	for round := 0; len(ended) < len(commands); round++ {
		if time.Now().After(limit) {
			text, _ := os.ReadFile(filepath.Join(r.spec.Dir, "cluster.hpc"))
			t.Logf("%s", text)
			t.Fatalf("after %d rounds %d of %d have ended", round, len(ended), len(commands))
		}
		if round < 15 {
			disturb(t, dir, faults[random.IntN(len(faults))], random)
		} else {
			for _, name := range faults {
				os.Remove(filepath.Join(dir, name))
			}
		}
		if round < 20 && random.IntN(3) == 0 { // a session needs some time to decide about a batch in doubt
			r.session.Detach()
			r.open()
			r.start(commands...)
		}
		collect(r, ended, time.Duration(random.IntN(60))*time.Millisecond)
		r.session.Retry()
	}
	text, err := os.ReadFile(filepath.Join(r.spec.Cwd, "runs"))
	if err != nil {
		t.Fatal(err)
	}
	ran := map[string]int{}
	for line := range strings.Lines(string(text)) {
		ran[strings.TrimSpace(line)]++
	}
	for i := range commands {
		if e := ended[i]; ran[fmt.Sprint(i)] != 1 || e.Exit != (executor.Exit{Code: i % 3}) {
			t.Errorf("node %d ran %d times and ended with %+v (%s)", i, ran[fmt.Sprint(i)], e.Exit, e.Message)
		}
	}
}

// disturb makes a fault, or ends it.
func disturb(t *testing.T, dir, name string, random *rand.Rand) {
	text := ""
	if name == "refuse" {
		text = "sbatch: error: Slurm temporarily unable to accept job, sleeping and retrying\n"
	}
	if random.IntN(2) == 0 {
		os.Remove(filepath.Join(dir, name))
		return
	}
	setFault(t, dir, name, text)
}

// collect takes reports for a while. The end of a node must always be the same.
func collect(r *run, ended map[int]executor.Report, d time.Duration) {
	r.Helper()
	until := time.After(d)
	for {
		select {
		case rep := <-r.reports:
			if rep.Kind != executor.Ended {
				continue
			}
			if before, twice := ended[rep.ID.Node]; twice && (before.Exit != rep.Exit || before.Out != rep.Out) {
				r.Errorf("node %d ended with %+v and later with %+v", rep.ID.Node, before, rep)
			}
			ended[rep.ID.Node] = rep
		case <-until:
			return
		}
	}
}
