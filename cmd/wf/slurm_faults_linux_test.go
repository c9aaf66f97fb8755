package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"wf/api"
	"wf/executor/cluster/slurmtest"
)

var (
	slurmFaults = flag.Int("slurm-faults", 0, "make as many faults of each kind while workfiles run on a real Slurm")
	slurmSeed   = flag.Uint64("slurm-seed", 1, "of the faults")
	slurmKinds  = flag.String("slurm-kinds", "", "kinds of these faults, with commas between them; empty = all kinds")
	slurmMode   = flag.String("slurm-mode", "array", "how the commands are submitted that meet these faults: array, job, pool")
)

// A slurmFault is a kind of fault and how it ends, after a random time up to its length.
type slurmFault struct {
	name   string
	length time.Duration
	begin  func(s *site) error
	end    func(s *site) error
}

// slurmFaultKinds are faults after which everything continues. The node that they are about is the first one.
var slurmFaultKinds = []slurmFault{
	{"daemon killed", time.Second, func(s *site) error { s.killDaemon(); return nil }, func(s *site) error { s.wfOutput(0, "status"); return nil }},
	{"controller hangs", 13 * time.Second, func(s *site) error { return s.HangController() }, func(s *site) error { return s.ContinueController() }},
	{controllerKilled, 3 * time.Second, func(s *site) error { return s.KillController() }, func(s *site) error { return s.StartController() }},
	{"slurmd killed", 3 * time.Second, func(s *site) error { return s.KillNode(1) }, func(s *site) error { return s.StartNode(1) }},
	{"node cut off", 3 * time.Second, func(s *site) error { return s.Cut(1) }, func(s *site) error { return s.Connect(1) }},
}

// controllerKilled is the kind of fault after which Slurm may have forgotten what it knew.
const controllerKilled = "controller killed"

// TestSlurmFaults runs workfiles, one after the other, until there were enough faults. No command may run twice, and one that
// has not run to its end must be called lost, cancelled at the cluster, or failed by its machine.
func TestSlurmFaults(t *testing.T) {
	if *slurmFaults == 0 {
		t.Skip("no -slurm-faults")
	}
	bin := buildProgram(t) + "/wf"
	kinds := slurmFaultKinds
	if *slurmKinds != "" {
		names := strings.Split(*slurmKinds, ",")
		kinds = slices.DeleteFunc(slices.Clone(kinds), func(f slurmFault) bool { return !slices.Contains(names, f.name) })
		if len(kinds) != len(names) {
			t.Fatalf("-slurm-kinds %q contains an unknown kind", *slurmKinds)
		}
	}
	// A job whose launch was lost is given up by Slurm after BatchStartTimeout.
	s := newSite(t, bin, slurmtest.Config{Separate: true, Options: map[string]string{"SlurmdTimeout": "60", "BatchStartTimeout": "20"}},
		fmt.Sprintf("queue_size = 20\nmode = %q\npool_size = 4\n", *slurmMode))
	random := rand.New(rand.NewPCG(*slurmSeed, 14))
	made, lost, runs := map[string]int{}, 0, 0
	began := time.Now()
	t.Cleanup(func() { t.Logf("%v in %d runs", made, runs) })
	for enough := false; !enough && !t.Failed(); runs++ {
		s.must(os.RemoveAll(s.path("ran")))
		s.must(os.Mkdir(s.path("ran"), 0o700))
		codes := s.slowLayers(random, 4, 8)
		s.start("--fresh")
		forgotten := false
		// Without a bound, Slurm would never find out which launches were lost.
		for n := 0; n < 15 && !s.allRan(codes) && s.active(); n++ {
			f := kinds[random.IntN(len(kinds))]
			pause := 2000
			if random.IntN(4) == 0 {
				pause *= 4 // now and then Slurm gets somewhere
			}
			time.Sleep(time.Duration(random.IntN(pause)) * time.Millisecond) // no event: faults come at any moment
			s.must(f.begin(s))
			time.Sleep(time.Duration(random.Int64N(int64(f.length))))
			s.must(f.end(s))
			made[f.name]++
			// A killed controller continues from an older state. It may list jobs as running although wf has seen their ends and
			// their processes are gone.
			forgotten = forgotten || f.name == controllerKilled
		}
		for limit := time.Now().Add(10 * time.Minute); s.active() && time.Now().Before(limit); time.Sleep(time.Second) {
			s.resumeNodes()
		}
		s.finishWithin(patience)
		lost += s.ranAtMostOnce(codes)
		if forgotten {
			s.noProcess()
			s.output("scancel", "--user="+s.output("id", "-un"))
		}
		s.nothingLeft()
		enough = true
		for _, f := range kinds {
			enough = enough && made[f.name] >= *slurmFaults
		}
	}
	t.Logf("%v in %d runs and %v: %d executions were called lost, cancelled or failed by their machine, none ran twice", made, runs, since(began), lost)
}

// resumeNodes does what an administrator would do: a controller that has started with an older state drains nodes that execute
// jobs which it does not know.
func (s *site) resumeNodes() {
	for n := range 3 {
		_, _ = s.Output("scontrol", "update", fmt.Sprintf("NodeName=n%d", n+1), "State=RESUME") // fails if the node is not drained
	}
}

// slowLayers writes a layered workfile. Its commands take up to three seconds and end with random exit codes.
func (s *site) slowLayers(random *rand.Rand, count, width int) map[string]int {
	s.Helper()
	codes := map[string]int{}
	var b strings.Builder
	for l := range count {
		for n := range width {
			name := fmt.Sprintf("n%dx%d", l, n)
			codes[name] = random.IntN(3)
			fmt.Fprintf(&b, "%s: echo x >> ran/%[1]s; sleep %d.%d; exit %d\n", name, random.IntN(3), random.IntN(10), codes[name])
			for before := range width {
				if l > 0 {
					fmt.Fprintf(&b, "n%dx%d -> %s when done\n", l-1, before, name)
				}
			}
		}
	}
	s.workfile(b.String())
	return codes
}

// allRan reports whether all commands have begun.
func (s *site) allRan(codes map[string]int) bool {
	for name := range codes {
		if s.ran(name) == 0 {
			return false
		}
	}
	return true
}

// active reports whether a run is active. It starts the daemon if necessary.
func (s *site) active() bool {
	const active = 7
	cmd := s.command("status", "--exit-code")
	_ = cmd.Run() // the status says all
	return cmd.ProcessState.ExitCode() == active
}

// ranAtMostOnce checks all nodes and returns how many are lost, were cancelled at the cluster, or failed
// because of a machine.
func (s *site) ranAtMostOnce(codes map[string]int) (lost int) {
	s.Helper()
	nodes, blocked := s.nodes(), 0
	for name, code := range codes {
		n := nodes[name]
		switch ran := s.ran(name); {
		case ran > 1:
			s.Errorf("%s ran %d times", name, ran)
		case n.Reason == api.ReasonLost || n.Reason == api.ReasonNodeFail || n.Reason == api.ReasonEngineCancelled:
			// Slurm itself has cancelled the job, because it could not repeat its launch. It shows no difference from scancel.
			s.Logf("%s ran %d times: %s", name, ran, asJSON(n))
			lost++
		case n.State == api.StateBlocked && ran == 0:
			blocked++
		case ran != 1 || n.ExitCode == nil || *n.ExitCode != code:
			s.Errorf("%s ran %d times, and should have exit code %d: %s", name, ran, code, asJSON(n))
		}
	}
	if blocked > 0 && lost == 0 {
		s.Errorf("%d nodes are blocked although none before them is lost", blocked)
	}
	return lost
}
