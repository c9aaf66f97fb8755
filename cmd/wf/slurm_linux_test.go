package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"wf/api"
	"wf/executor/cluster/slurmtest"
)

var torture = flag.Bool("torture", false, "run ten thousand nodes on a real Slurm")

// TestSlurm runs workfiles on real Slurm clusters, a cluster each.
func TestSlurm(t *testing.T) {
	if testing.Short() {
		t.Skip("starts Slurm and daemons")
	}
	slurmtest.Start(t, slurmtest.Config{Nodes: 1}).Down() // skips all where there is no Slurm
	wf := filepath.Join(buildProgram(t), "wf")
	for _, test := range []struct {
		name string
		run  func(t *testing.T, wf string)
	}{
		{"layers", slurmLayers},
		{"short memory", slurmShortMemory},
		{"accounting", slurmAccounting},
		{"killed daemon", slurmKilledDaemon},
		{"hanging controller", slurmHangingController},
		{"stopped controller", slurmStoppedController},
		{"lost node", slurmLostNode},
		{"lost node of a pool", slurmLostNodeOfPool},
		{"cancelled", slurmCancelled},
		{"time limit", slurmTimeLimit},
		{"stop", slurmStop},
		{"many nodes", slurmManyNodes},
		{"ssh", slurmThroughSSH},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t, wf)
		})
	}
}

// layers returns a workfile of layers, in which each node waits for all of the layer before. The commands record that they
// ran, and print their names. The last layer has other exit codes than 0.
func layers(count, width int) (text string, codes map[string]int) {
	var b strings.Builder
	codes = map[string]int{}
	for l := range count {
		for n := range width {
			name, code := fmt.Sprintf("n%dx%d", l, n), 0
			if l == count-1 {
				code = n
			}
			codes[name] = code
			fmt.Fprintf(&b, "%s: echo x >> ran/%[1]s; echo this is %[1]s; echo and an error of %[1]s >&2; exit %d\n", name, code)
			for before := range width {
				if l > 0 {
					fmt.Fprintf(&b, "n%dx%d -> %s\n", l-1, before, name)
				}
			}
		}
	}
	return b.String(), codes
}

// runLayers runs layers and checks what they leave.
func (s *site) runLayers(count, width int) {
	s.Helper()
	text, codes := layers(count, width)
	s.workfile(text)
	began := time.Now()
	s.wfOutput(1, "run", "--executor", "hpc")
	s.Logf("%d layers of %d nodes took %v", count, width, since(began))
	s.ranOnce(codes)
	for name := range codes {
		logs := strings.Split(s.wfOutput(0, "logs", name), "\n")
		slices.Sort(logs) // the order of the streams is not known
		if want := []string{"", "and an error of " + name, "this is " + name}; !slices.Equal(logs, want) {
			s.Errorf("the output of %s is %q", name, logs)
		}
	}
	if n := len(s.calls("sbatch")); n != count {
		s.Errorf("sbatch was called %d times", n)
	}
	s.nothingLeft()
}

func slurmLayers(t *testing.T, wf string) {
	newSite(t, wf, slurmtest.Config{}, "").runLayers(5, 6)
}

// Slurm forgets jobs after two seconds.
func slurmShortMemory(t *testing.T, wf string) {
	newSite(t, wf, slurmtest.Config{Options: map[string]string{"MinJobAge": "2"}}, "").runLayers(2, 6)
}

// What Slurm has forgotten is in the accounting.
func slurmAccounting(t *testing.T, wf string) {
	s := newSite(t, wf, slurmtest.Config{Accounting: true, Options: map[string]string{"MinJobAge": "2",
		"JobAcctGatherType": "jobacct_gather/linux", "JobAcctGatherFrequency": "task=1"}}, "")
	s.runLayers(2, 6)
	const size = 200 << 20 // bytes
	s.workfile(fmt.Sprintf("large: x=$(head -c %d /dev/zero | tr '\\0' x); sleep 3\n", size))
	s.wfOutput(0, "run", "--executor", "hpc")
	if n := s.nodes()["large"]; n.PeakBytes < size || n.PeakBytes > 4*size {
		t.Errorf("the peak of memory: %s", asJSON(n))
	}
	s.workfile("long: echo x >> ran/long; exec sleep 1000\n")
	s.start()
	s.await("the node runs", func() bool { return s.ran("long") == 1 })
	s.killDaemon()
	s.output("scancel", s.jobs()[0])
	s.await("Slurm has forgotten the job", func() bool { return s.output("squeue", "--noheader", "--states=all") == "" })
	s.finish()
	if n := s.nodes()["long"]; n.Reason != api.ReasonEngineCancelled {
		t.Errorf("the cancelled node: %s", asJSON(n))
	}
}

// jobs returns the ids of the jobs that have not ended.
func (s *site) jobs() (ids []string) {
	s.Helper()
	lines, err := s.Jobs()
	if err != nil {
		s.Fatal(err)
	}
	for _, line := range lines {
		id, _, _ := strings.Cut(line, " ")
		ids = append(ids, id)
	}
	return ids
}

// output returns what a command of Slurm prints.
func (s *site) output(name string, args ...string) string {
	s.Helper()
	out, err := s.Output(name, args...)
	if err != nil {
		s.Fatal(err)
	}
	return out
}

// The daemon is killed again and again, soon after something has happened.
func slurmKilledDaemon(t *testing.T, wf string) {
	s := newSite(t, wf, slurmtest.Config{}, "queue_size = 4\n")
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	text, codes := layers(4, 6)
	s.workfile(text)
	s.start()
	kills := 8
	if *torture {
		kills = 200
	}
	for kill := 0; kill < kills && !s.allRan(codes) && s.active(); kill++ {
		before := s.size("calls")
		s.await("a command of Slurm is called", func() bool { return s.size("calls") > before || s.allRan(codes) })
		time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond) // no event: the kill must come at any moment
		s.killDaemon()
	}
	if status := s.finish(); status != 1 {
		t.Errorf("the run ended with %d", status)
	}
	s.ranOnce(codes)
	s.nothingLeft()
}

func (s *site) size(name string) int64 {
	if info, err := os.Stat(s.path(name)); err == nil {
		return info.Size()
	}
	return 0
}

// A controller that hangs accepts jobs and does not say so: sbatch gives up after ten seconds, and the jobs run.
func slurmHangingController(t *testing.T, wf string) {
	s := newSite(t, wf, slurmtest.Config{}, "")
	text, codes := layers(1, 3)
	s.workfile(text)
	s.must(s.HangController())
	s.start()
	s.await("sbatch has given up", func() bool { return len(s.calls("ended:sbatch")) > 0 })
	s.must(s.ContinueController())
	s.finish()
	s.ranOnce(codes)
	if n := len(s.calls("sbatch")); n != 1 {
		t.Errorf("sbatch was called %d times", n)
	}
	s.nothingLeft()
}

func (s *site) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// A controller that is away is waited for: what runs goes on, and what comes next is submitted later.
func slurmStoppedController(t *testing.T, wf string) {
	s := newSite(t, wf, slurmtest.Config{}, "")
	s.workfile("a: echo x >> ran/a; until [ -e go ]; do sleep 0.1; done; exit 3\nb: echo x >> ran/b\na -> b when done\nc: echo x >> ran/c; until [ -e go ]; do sleep 0.1; done\nd: echo x >> ran/d\nc -> d\n")
	s.start()
	s.await("both run", func() bool { return s.ran("a") == 1 && s.ran("c") == 1 })
	s.must(s.StopController())
	s.write("go", "")
	s.await("the end of c is known", func() bool { return s.nodes()["c"].State == api.StateOK })
	s.await("a submission has failed", func() bool { return len(s.calls("ended:sbatch")) > 1 })
	s.must(s.StartController())
	s.finish()
	s.ranOnce(map[string]int{"a": 3, "b": 0, "c": 0, "d": 0})
	s.nothingLeft()
}

// A node that is cut off fails for Slurm, while its process continues. The retry is on another node.
func slurmLostNode(t *testing.T, wf string) {
	s := newSite(t, wf, slurmtest.Config{Separate: true, Options: map[string]string{"SlurmdTimeout": "5"}}, "")
	s.workfile(`once: hostname >> ran/once; exec sleep 1000
again: hostname >> ran/again; [ $(wc -l < ran/again) -gt 1 ] || exec sleep 1000
again.retries = 1
again.retry_on = node_fail
`)
	s.start()
	hosts := map[string]string{}
	s.await("both run", func() bool {
		for _, name := range []string{"once", "again"} {
			if job := s.nodes()[name].Engine; job != nil && s.ran(name) == 1 {
				hosts[name] = job.Host
			}
		}
		return hosts["once"] != "" && hosts["again"] != ""
	})
	for _, host := range slices.Compact(slices.Sorted(slices.Values([]string{hosts["once"], hosts["again"]}))) {
		number, err := strconv.Atoi(strings.TrimPrefix(host, "n"))
		s.must(err)
		s.must(s.Cut(number))
		defer s.Connect(number)
	}
	s.finish()
	nodes := s.nodes()
	if n := nodes["once"]; n.State != api.StateFailed || n.Reason != api.ReasonNodeFail || s.ran("once") != 1 {
		t.Errorf("without retries: %s, ran %d times", asJSON(n), s.ran("once"))
	}
	if n := nodes["again"]; n.State != api.StateOK || s.ran("again") != 2 || n.Engine == nil || n.Engine.Host == hosts["again"] {
		t.Errorf("with a retry: %s, ran %d times, first on %s", asJSON(n), s.ran("again"), hosts["again"])
	}
}

// An allocation loses the machine with its script, and Slurm says that it goes on. What ran on the others succeeds.
func slurmLostNodeOfPool(t *testing.T, wf string) {
	s := newSite(t, wf, slurmtest.Config{CPUs: 1, Options: map[string]string{"SlurmdTimeout": "5"}}, "mode = \"pool\"\npool_size = 3\n")
	s.workfile(`a: echo $SLURMD_NODENAME >> ran/a; until [ -e go ]; do sleep 0.1; done
b: echo $SLURMD_NODENAME >> ran/b; until [ -e go ]; do sleep 0.1; done
c: echo $SLURMD_NODENAME >> ran/c; until [ -e go ]; do sleep 0.1; done
`)
	s.start()
	names := []string{"a", "b", "c"}
	s.await("all run", func() bool {
		return !slices.ContainsFunc(names, func(name string) bool { return s.ran(name) != 1 })
	})
	host := strings.TrimSpace(s.output("squeue", "--noheader", "--format=%B"))
	number, err := strconv.Atoi(strings.TrimPrefix(host, "n"))
	s.must(err)
	s.must(s.KillNode(number))
	var lost string
	s.await("a node is lost", func() bool {
		for name, n := range s.nodes() {
			if n.State == api.StateFailed {
				lost = name
			}
		}
		return lost != ""
	})
	s.write("go", "")
	s.finish()
	s.must(s.StartNode(number))
	for name, n := range s.nodes() {
		text, err := os.ReadFile(s.path("ran/" + name))
		s.must(err)
		here := strings.TrimSpace(string(text)) == host
		switch {
		case here && (n.State != api.StateFailed || n.Reason != api.ReasonNodeFail):
			t.Errorf("on %s: %s", host, asJSON(n))
		case !here && n.State != api.StateOK:
			t.Errorf("on another machine: %s", asJSON(n))
		}
	}
}

// An administrator cancels a job that runs and one that waits.
func slurmCancelled(t *testing.T, wf string) {
	s := newSite(t, wf, slurmtest.Config{Nodes: 1, CPUs: 1}, "")
	s.workfile("runs: echo x >> ran/runs; exec sleep 1000\nruns.retries = 3\nwaits: echo x >> ran/waits\nwaits.cpus = 1\n")
	s.start()
	s.await("one runs and one waits", func() bool { return s.ran("runs")+s.ran("waits") == 1 && len(s.jobs()) == 2 || s.ran("waits") == 1 })
	s.output("scancel", append([]string{"--user=" + s.output("id", "-un")}, s.jobs()...)...)
	s.finish()
	nodes := s.nodes()
	for _, name := range []string{"runs", "waits"} {
		if n := nodes[name]; n.State != api.StateFailed || n.Reason != api.ReasonEngineCancelled || n.Executions != 1 {
			if name == "waits" && n.State == api.StateOK {
				continue // it came first
			}
			t.Errorf("%s: %s", name, asJSON(n))
		}
	}
	s.nothingLeft()
}

// A job whose time is up. Slurm counts in minutes, so its end is moved.
func slurmTimeLimit(t *testing.T, wf string) {
	s := newSite(t, wf, slurmtest.Config{Nodes: 1}, "")
	s.workfile("long: echo x >> ran/long; exec sleep 1000\nlong.time = 1h\n")
	s.start()
	s.await("the node runs", func() bool { return s.ran("long") == 1 })
	s.output("scontrol", "update", "JobId="+s.jobs()[0], "EndTime="+time.Now().Add(time.Second).Format("2006-01-02T15:04:05"))
	s.finish()
	if n := s.nodes()["long"]; n.State != api.StateFailed || n.Reason != api.ReasonTimeout {
		t.Errorf("%s", asJSON(n))
	}
	s.nothingLeft()
}

// A stopped run ends what waits and what runs, also what resists.
func slurmStop(t *testing.T, wf string) {
	s := newSite(t, wf, slurmtest.Config{Nodes: 1, CPUs: 2}, "")
	s.workfile(`polite: trap 'echo bye; exit 3' TERM; echo x >> ran/polite; while :; do sleep 0.1; done
rude: trap '' TERM; echo x >> ran/rude; while :; do sleep 0.1; done
late: echo x >> ran/late
late.cpus = 2
`)
	s.start()
	s.await("both run", func() bool { return s.ran("polite") == 1 && s.ran("rude") == 1 })
	began := time.Now()
	s.wfOutput(0, "stop", "--grace", "15s")
	if status := s.finish(); status != 6 {
		t.Errorf("the run ended with %d", status)
	}
	t.Logf("stopped after %v", since(began))
	if out := s.wfOutput(0, "logs", "polite"); !strings.HasSuffix(out, "bye\n") { // the shell may say that sleep was terminated
		t.Errorf("the polite command printed %q", out)
	}
	if n := s.ran("late"); n != 0 {
		t.Errorf("the waiting command ran %d times", n)
	}
	s.nothingLeft()
}

// Many nodes need few calls of Slurm.
func slurmManyNodes(t *testing.T, wf string) {
	count, queue := 300, 30
	if *torture {
		count, queue = 10_000, 1000
	}
	s := newSite(t, wf, slurmtest.Config{CPUs: 8}, fmt.Sprintf("queue_size = %d\n", queue))
	s.workfile(shortNodes(count))
	began := time.Now()
	s.wfOutput(0, "run", "--executor", "hpc")
	took := time.Since(began).Seconds()
	submissions, questions := len(s.calls("sbatch")), s.calls("squeue")
	t.Logf("%d nodes took %.1f s, %d calls of sbatch and %d of squeue", count, took, submissions, len(questions))
	if submissions > 40 {
		t.Errorf("sbatch was called %d times", submissions)
	}
	if most := int(took/2) + 2; len(questions) > most {
		t.Errorf("squeue was called %d times, more than %d", len(questions), most)
	}
	for i := 1; i < len(questions); i++ {
		if pause := questions[i] - questions[i-1]; pause < 1 {
			t.Errorf("%.1f s between two calls of squeue", pause)
		}
	}
}
