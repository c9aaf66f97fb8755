package executortest

import (
	"fmt"
	"strings"

	"wf/executor/shell"
)

// largeCases are about commands and values that are too long for one argument or variable of a program.
var largeCases = []testCase{
	{"a command of 300 kB", func(h *Harness) {
		text := strings.Repeat("true # "+strings.Repeat("x", 90)+"\n", 3000)
		type line struct{ shell, command string }
		lines := []line{{"", text + "echo 'at the end'"}, {"bash", text + "echo 'at the end'"}, {"bash -eo pipefail", text + "echo 'at the end'; false | true"}}
		if h.promised.LargeArguments {
			lines = append(lines, line{"", shell.Line("bash -c {}", text+"echo 'at the end'")}, line{"", shell.Line("nice sh -c '{}'", text+"echo 'at the end'")})
		}
		for i, c := range lines {
			job := h.Job(i, c.command)
			job.Shell = c.shell
			h.StartJobs(job)
			want := 0
			if strings.Contains(c.shell, "pipefail") {
				want = 1
			}
			r := h.Ended(i)
			if got := h.Read(r.Out); r.Exit.Failed || r.Exit.Code != want || got != "at the end\n" {
				h.Errorf("%q: %+v, output %q", c.shell, r, got)
			}
		}
	}},
	{"an argument of 300 kB for another program", func(h *Harness) {
		h.need(h.promised.LargeArguments, namedInMessage)
		h.Start(0, "printf '"+strings.Repeat("x", 300_000)+"'; true")
		h.Start(1, "/usr/bin/env printf '"+strings.Repeat("x", 300_000)+"'")
		if r := h.Ended(0); r.Exit.Code != 0 || r.Exit.Failed || len(h.Read(r.Out)) != 300_000 {
			h.Errorf("a builtin: %+v", r)
		}
		if r := h.Ended(1); !r.Exit.Failed || !strings.Contains(r.Message, "an argument of its command has 300000 bytes") {
			h.Errorf("a program: %+v", r)
		}
	}},
	{"a value of 200 kB or with a zero byte", func(h *Harness) {
		for i, c := range []struct{ value, why string }{
			{strings.Repeat("v", 200_000), "the value of BIG has 200000 bytes, and a variable can have 131067 at most"},
			{"a\x00b", "the value of BIG contains a zero byte"},
		} {
			job := h.Job(2*i, "echo never")
			job.Env = append(job.Env, "BIG="+c.value)
			read := h.Job(2*i+1, `test -z "${BIG+x}" && echo "$SMALL" && cat "$WF_INPUT"`)
			read.Env = append(read.Env, "BIG="+c.value, "SMALL=s")
			h.StartJobs(job, read)
			if r := h.Ended(2 * i); !r.Exit.Failed || !strings.Contains(r.Message, c.why) || !strings.Contains(r.Message, `"$WF_INPUT"`) {
				h.Errorf("%+v, want %q", r, c.why)
			}
			r := h.Ended(2*i + 1)
			want := fmt.Sprintf(`"BIG":"%s"`, strings.ReplaceAll(c.value, "\x00", `\u0000`))
			if got := h.Read(r.Out); !strings.HasPrefix(got, "s\n{") || !strings.Contains(got, want) || !strings.Contains(got, `"SMALL":"s"`) {
				h.Errorf("%+v, output %.300q", r, got)
			}
		}
	}},
	{"variables that are too long together", func(h *Harness) {
		job := h.Job(0, "true; true")
		for i := range 64 {
			job.Env = append(job.Env, fmt.Sprintf("V%d=%s", i, strings.Repeat("v", 110_000+i)))
		}
		h.StartJobs(job)
		if r := h.Ended(0); !r.Exit.Failed || !strings.Contains(r.Message, "the largest variable is V63 with 110063") {
			h.Errorf("%+v", r)
		}
	}},
	{"a shell with options", func(h *Harness) {
		for i, c := range []struct {
			shell, command string
			code           int
		}{
			{"bash -euo pipefail", "false | true\necho on", 1}, {"bash -euo pipefail", "echo $NOSUCH\ntrue", 1},
			{"/bin/sh -e", "false\necho on", 1}, {"bash -o 'pipefail' -c", "false | true", 1}, {"bash", "false | true\necho on", 0},
		} {
			job := h.Job(i, c.command)
			job.Shell = c.shell
			h.StartJobs(job)
			if r := h.Ended(i); r.Exit.Code != c.code {
				h.Errorf("%s: %+v, want code %d", c.shell, r, c.code)
			}
		}
		job := h.Job(9, "echo hello; true")
		job.Shell = "nosuchshell -e"
		h.StartJobs(job)
		if r := h.Ended(9); !r.Exit.Failed || !strings.Contains(r.Message, "nosuchshell: not found in PATH") {
			h.Errorf("report %+v, want a failure that names the shell", r)
		}
	}},
}
