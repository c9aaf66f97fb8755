package executortest

import (
	"fmt"
	"strings"
	"sync"

	"wf/executor"
)

var outputCases = []testCase{
	{"both streams apart, byte for byte", func(h *Harness) {
		r := h.Execute(0, `printf 'a\0b\033[1m\377\376 no newline'; printf 'err\0or' >&2`)
		if got, want := h.Read(r.Out), "a\x00b\x1b[1m\xff\xfe no newline"; got != want {
			h.Errorf("stdout %q, want %q", got, want)
		}
		if got, want := h.Read(r.Err), "err\x00or"; got != want {
			h.Errorf("stderr %q, want %q", got, want)
		}
	}},
	{"both streams merged, in the order in which they are written", func(h *Harness) {
		r := h.ExecuteMerged(0, `for i in 1 2 3; do printf "out$i\\0\\377\\n"; printf "err$i\\n" >&2; done; sh -c 'echo last >&2'`)
		want := "out1\x00\xff\nerr1\nout2\x00\xff\nerr2\nout3\x00\xff\nerr3\nlast\n"
		if got := h.Read(r.Out); got != want {
			h.Errorf("output %q, want %q", got, want)
		}
		if r.Err != (executor.Range{}) {
			h.Errorf("standard error has a file of its own: %+v", r.Err)
		}
	}},
	{"merged and apart in turn", func(h *Harness) {
		for node := range 8 {
			command, merged := fmt.Sprintf("echo 'err of %d' >&2; echo 'out of %d'", node, node), node%2 == 0
			if !merged {
				r := h.Execute(node, command)
				if out, err := h.Read(r.Out), h.Read(r.Err); out != fmt.Sprintf("out of %d\n", node) || err != fmt.Sprintf("err of %d\n", node) {
					h.Errorf("node %d: stdout %q, stderr %q", node, out, err)
				}
				continue
			}
			if got, want := h.Read(h.ExecuteMerged(node, command).Out), fmt.Sprintf("err of %d\nout of %d\n", node, node); got != want {
				h.Errorf("node %d: %q, want %q", node, got, want)
			}
		}
		h.expectFewFiles(4) // counting "", the missing file of a merged output
	}},
	{"a merged output across two sessions", func(h *Harness) {
		proceed := h.Pipe("go")
		job := h.Job(0, "echo out; echo err >&2; read x <"+proceed.path+"; echo err2 >&2; echo out2")
		job.Merge = true
		h.StartJobs(job)
		h.Started(0)
		h.Reopen()
		h.Release(proceed)
		r := h.Ended(0)
		if got := h.Read(r.Out); got != "out\nerr\nerr2\nout2\n" || r.Err != (executor.Range{}) {
			h.Errorf("output %q, stderr %+v", got, r.Err)
		}
	}},
	{"20 MB", func(h *Harness) {
		const size = 20_000_000
		got := h.Read(h.Execute(0, fmt.Sprintf("head -c %d /dev/zero | tr '\\0' x", size)).Out)
		if len(got) != size || strings.Trim(got, "x") != "" {
			h.Errorf("%d bytes, want %d of x", len(got), size)
		}
	}},
	{"the start of an output is known while it grows", func(h *Harness) {
		said, proceed := h.Pipe("said"), h.Pipe("go")
		h.Execute(0, "echo earlier")
		h.Start(1, "echo now; echo >"+said.path+"; read x <"+proceed.path)
		start := h.Started(1)
		h.AwaitLine(said)
		if start.Out.End != -1 {
			h.Errorf("range %+v at the start", start.Out)
		}
		h.Release(proceed)
		end := h.Ended(1)
		if end.Out.File != start.Out.File || end.Out.Start != start.Out.Start {
			h.Errorf("range %+v at the start, %+v at the end", start.Out, end.Out)
		}
		if got := h.Read(end.Out); got != "now\n" {
			h.Errorf("output %q", got)
		}
	}},
	{"many at once and one after the other", func(h *Harness) {
		const width = 8
		rounds := h.many(12*width) / width // at least one
		var all sync.WaitGroup
		for lane := range width {
			all.Go(func() {
				for round := range rounds {
					node := lane*rounds + round
					text := fmt.Sprintf("out of %d", node)
					h.Start(node, fmt.Sprintf("echo '%s'; echo 'err of %d' >&2", text, node))
					r, ok := h.news.await(executor.Ended, ID(node))
					if got := h.Read(r.Out); !ok || got != text+"\n" {
						h.Errorf("node %d: %q", node, got)
					}
					if got, want := h.Read(r.Err), fmt.Sprintf("err of %d\n", node); got != want {
						h.Errorf("node %d: %q", node, got)
					}
				}
			})
		}
		all.Wait()
		h.expectFewFiles(4 * width)
	}},
	{"a process left behind does not write into the next output", func(h *Harness) {
		h.need(h.promised.LocalProcesses, leftoversGoOn)
		for node, leave := range []string{
			"{ read x <%s; echo late; echo done >%s; } & echo first",
			"setsid sh -c 'read x <%s; echo late; echo done >%s' & echo first",
			"(setsid sh -c 'read x <%s; echo late; echo done >%s' &) ; echo first",
		} {
			wait, done := h.Pipe(fmt.Sprint("wait", node)), h.Pipe(fmt.Sprint("done", node))
			first := h.Execute(10*node, fmt.Sprintf(leave, wait, done))
			if got := h.Read(first.Out); got != "first\n" {
				h.Errorf("%s: output %q", leave, got)
			}
			second := h.Pipe(fmt.Sprint("second", node))
			h.Start(10*node+1, "echo second; read x <"+second.path)
			h.Started(10*node + 1)
			h.Release(wait)
			h.AwaitLine(done)
			h.Release(second)
			if got := h.Read(h.Ended(10*node + 1).Out); got != "second\n" {
				h.Errorf("%s: output of the next %q", leave, got)
			}
		}
	}},
	{"a huge file is not used again", func(h *Harness) {
		big := h.Execute(0, "head -c 70000000 /dev/zero")
		if next := h.Execute(1, "echo small"); next.Out.File == big.Out.File || h.Read(next.Out) != "small\n" {
			h.Errorf("next output %+v", next.Out)
		}
	}},
}

// expectFewFiles checks that the run has at most so many output files, if the executor shares them between executions.
func (h *Harness) expectFewFiles(most int) {
	h.Helper()
	seen := make(map[string]bool)
	for _, r := range h.Reports() {
		if r.Kind == executor.Ended && strings.TrimSpace(r.Out.File) != "" {
			seen[r.Out.File], seen[r.Err.File] = true, true
		}
	}
	if h.promised.SharedFiles && len(seen) > most {
		h.Errorf("%d files, more than %d: slots are not reused", len(seen), most)
	}
}
