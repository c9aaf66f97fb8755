package executortest

import (
	"os"
	"slices"
	"strings"
	"syscall"

	"wf/executor"
)

var exitCases = []testCase{
	{"codes", func(h *Harness) {
		for node, c := range []struct {
			command string
			code    int
		}{
			{"true", 0}, {"false", 1}, {"exit 7", 7}, {"sh -c 'exit 255'", 255},
			{"no-such-command-anywhere", 127}, {"/", 126}, {"", 0}, {" \t\n", 0},
		} {
			if r := h.Execute(node, c.command); r.Exit.Code != c.code || r.Exit.Signal != 0 || r.Exit.Failed {
				h.Errorf("%q: %+v, want code %d", c.command, r.Exit, c.code)
			}
		}
	}},
	{"signals", func(h *Harness) {
		r := h.Execute(0, "kill -9 $$")
		if r.Exit.Signal != int(syscall.SIGKILL) || r.Exit.Code != 0 || r.Exit.Stopped {
			h.Errorf("exit %+v, want signal 9", r.Exit)
		}
	}},
	{"peak of memory", func(h *Harness) {
		h.need(h.promised.PeakMemory, noPeakMemory)
		const least = 500 << 20 // more than a runner with the race detector: a smaller peak may be that of the runner
		if r := h.Execute(0, "dd if=/dev/zero of=/dev/null bs=500M count=1 2>/dev/null; true"); r.Exit.PeakMemory < least || r.Exit.PeakMemory > 3*least {
			h.Errorf("%d bytes, want a little more than %d", r.Exit.PeakMemory, least)
		}
		if r := h.Execute(1, "true"); r.Exit.PeakMemory != 0 {
			h.Errorf("%d bytes of a small command", r.Exit.PeakMemory)
		}
	}},
	{"order of reports", func(h *Harness) {
		h.Execute(0, "exit 3")
		h.Execute(1, "")
		reports := h.Reports()
		want := []executor.Kind{executor.Started, executor.Ended, executor.Ended}
		if len(reports) != len(want) {
			h.Fatalf("reports %+v, want one start and two ends", reports)
		}
		for i, kind := range want {
			if reports[i].Kind != kind {
				h.Errorf("report %d is %+v, want kind %d", i, reports[i], kind)
			}
		}
		start, end := reports[0], reports[1]
		if start.Time.IsZero() || end.Time.Before(start.Time) || h.promised.LocalProcesses && start.PID == 0 {
			h.Errorf("start %+v, end %+v", start, end)
		}
		if start.Out.End != -1 || start.Out.File == "" || start.Out.File != end.Out.File {
			h.Errorf("output %+v at the start, %+v at the end", start.Out, end.Out)
		}
	}},
	{"working directory, environment, standard input", func(h *Harness) {
		job := h.Job(0, `pwd -P; echo "$COLOUR $SHAPE $HOME"; cat; readlink /proc/self/fd/0 || echo /dev/null`)
		job.Env = append(job.Env, "SHAPE=round", "COLOUR=red")
		h.StartJobs(job)
		cwd, err := os.Readlink(h.Spec.Cwd)
		if err != nil {
			cwd = h.Spec.Cwd
		}
		want := cwd + "\nred round \n/dev/null\n"
		if got := h.Read(h.Ended(0).Out); !strings.HasSuffix(got, want) {
			h.Errorf("output %q, want %q", got, want)
		}
	}},
	{"a job with its own shell", func(h *Harness) {
		job := h.Job(0, "echo {a,b}")
		job.Shell = "bash"
		h.StartJobs(job)
		if got := h.Read(h.Ended(0).Out); got != "a b\n" {
			h.Errorf("output %q", got)
		}
	}},
	{"a launcher", func(h *Harness) {
		job := h.Job(0, `echo "$PWD $WORD $0"; exit 3`)
		job.Shell = "bash"
		job.Launcher = []string{"/bin/sh", "-c", `cd -- "$1" && shift && WORD="it's" exec "$@"`, "sh", "/"}
		h.StartJobs(job)
		if r := h.Ended(0); h.Read(r.Out) != "/ it's bash\n" || r.Exit.Code != 3 {
			h.Errorf("output %q, %+v", h.Read(r.Out), r.Exit)
		}
	}},
	{"a launcher that does not exist", func(h *Harness) {
		job := h.Job(0, "echo hello; true")
		job.Launcher = []string{"/no/such/launcher"}
		h.StartJobs(job)
		if r := h.Ended(0); !r.Exit.Failed || !strings.Contains(r.Message, "/no/such/launcher") {
			h.Errorf("report %+v, want a failure that names the launcher", r)
		}
	}},
	{"a shell that does not exist", func(h *Harness) {
		job := h.Job(0, "echo hello; true")
		job.Shell = "/no/such/shell"
		h.StartJobs(job)
		if r := h.Ended(0); !r.Exit.Failed || !strings.Contains(r.Message, "/no/such/shell") {
			h.Errorf("report %+v, want a failure that names the shell", r)
		}
	}},
	{"a job handed over twice runs once", func(h *Harness) {
		h.Start(0, "echo once >>"+h.File("log"), "exit 4")
		h.Start(0, "echo twice >>"+h.File("log"))
		h.Ended(0)
		h.Ended(1)
		h.Execute(2, "true")
		if text, _ := os.ReadFile(h.File("log")); string(text) != "once\n" {
			h.Errorf("log %q", text)
		}
	}},
	{"a thousand", func(h *Harness) {
		nodes := h.many(1000)
		h.Session.SetWidth(8)
		h.Start(0, slices.Repeat([]string{"true"}, nodes)...)
		for node := range nodes {
			if r := h.Ended(node); r.Exit.Code != 0 || r.Exit.Failed || r.Exit.Lost {
				h.Errorf("node %d: %+v", node, r.Exit)
			}
		}
		if h.promised.Order {
			h.expectInOrder()
		}
	}},
	{"only the three standard descriptors", func(h *Harness) {
		r := h.Execute(0, "ls /dev/fd/")
		if got := strings.Fields(h.Read(r.Out)); len(got) > 4 { // the fourth belongs to ls
			h.Errorf("descriptors %q", got)
		}
	}},
}

// expectInOrder checks that the nodes were started in the order of their numbers.
func (h *Harness) expectInOrder() {
	h.Helper()
	next := 0
	for _, r := range h.Reports() {
		if r.Kind != executor.Started {
			continue
		}
		if r.ID != ID(next) {
			h.Fatalf("node %d is started instead of %d", r.ID.Node, next)
		}
		next++
	}
}
