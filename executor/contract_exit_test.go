package executor_test

import (
	"os"
	"strings"
	"syscall"

	"wf/executor"
	"wf/executor/wire"
)

var exitCases = []testCase{
	{"codes", func(h *harness) {
		for node, c := range []struct {
			command string
			code    int
		}{
			{"true", 0}, {"false", 1}, {"exit 7", 7}, {"sh -c 'exit 255'", 255},
			{"no-such-command-anywhere", 127}, {"/", 126}, {"", 0}, {" \t\n", 0},
		} {
			if r := h.run(node, c.command); r.Exit.Code != c.code || r.Exit.Signal != 0 || r.Exit.Failed {
				h.Errorf("%q: %+v, want code %d", c.command, r.Exit, c.code)
			}
		}
	}},
	{"signals", func(h *harness) {
		r := h.run(0, "kill -9 $$")
		if r.Exit.Signal != int(syscall.SIGKILL) || r.Exit.Code != 0 || r.Exit.Stopped {
			h.Errorf("exit %+v, want signal 9", r.Exit)
		}
	}},
	{"order of reports", func(h *harness) {
		h.run(0, "exit 3")
		h.run(1, "")
		reports := h.news.all()
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
		if start.PID == 0 || start.Time.IsZero() || end.Time.Before(start.Time) {
			h.Errorf("start %+v, end %+v", start, end)
		}
		if start.Out.End != -1 || start.Out.File == "" || start.Out.File != end.Out.File {
			h.Errorf("output %+v at the start, %+v at the end", start.Out, end.Out)
		}
	}},
	{"working directory, environment, standard input", func(h *harness) {
		job := h.job(0, `pwd -P; echo "$COLOUR $SHAPE $HOME"; cat; readlink /proc/self/fd/0 || echo /dev/null`)
		job.Env = append(job.Env, "SHAPE=round", "COLOUR=red")
		if err := h.session.Start([]wire.Job{job}); err != nil {
			h.Fatal(err)
		}
		cwd, err := os.Readlink(h.spec.Cwd)
		if err != nil {
			cwd = h.spec.Cwd
		}
		want := cwd + "\nred round \n/dev/null\n"
		if got := h.output(h.ended(0).Out); !strings.HasSuffix(got, want) {
			h.Errorf("output %q, want %q", got, want)
		}
	}},
	{"a job with its own shell", func(h *harness) {
		job := h.job(0, "echo {a,b}")
		job.Shell = "bash"
		if err := h.session.Start([]wire.Job{job}); err != nil {
			h.Fatal(err)
		}
		if got := h.output(h.ended(0).Out); got != "a b\n" {
			h.Errorf("output %q", got)
		}
	}},
	{"a shell that does not exist", func(h *harness) {
		job := h.job(0, "echo hello; true")
		job.Shell = "/no/such/shell"
		if err := h.session.Start([]wire.Job{job}); err != nil {
			h.Fatal(err)
		}
		if r := h.ended(0); !r.Exit.Failed || !strings.Contains(r.Message, "/no/such/shell") {
			h.Errorf("report %+v, want a failure that names the shell", r)
		}
	}},
	{"a job handed over twice runs once", func(h *harness) {
		h.start(0, "echo once >>"+h.file("log"), "exit 4")
		h.start(0, "echo twice >>"+h.file("log"))
		h.ended(0)
		h.ended(1)
		h.run(2, "true")
		if text, _ := os.ReadFile(h.file("log")); string(text) != "once\n" {
			h.Errorf("log %q", text)
		}
	}},
	{"only the three standard descriptors", func(h *harness) {
		r := h.run(0, "ls /dev/fd/")
		if got := strings.Fields(h.output(r.Out)); len(got) > 4 { // the fourth belongs to ls
			h.Errorf("descriptors %q", got)
		}
	}},
}
