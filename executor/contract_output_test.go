package executor_test

import (
	"fmt"
	"strings"
	"sync"

	"wf/executor"
	"wf/executor/wire"
)

var outputCases = []testCase{
	{"both streams apart, byte for byte", func(h *harness) {
		r := h.run(0, `printf 'a\0b\033[1m\377\376 no newline'; printf 'err\0or' >&2`)
		if got, want := h.output(r.Out), "a\x00b\x1b[1m\xff\xfe no newline"; got != want {
			h.Errorf("stdout %q, want %q", got, want)
		}
		if got, want := h.output(r.Err), "err\x00or"; got != want {
			h.Errorf("stderr %q, want %q", got, want)
		}
	}},
	{"both streams merged, in the order in which they are written", func(h *harness) {
		r := h.runMerged(0, `for i in 1 2 3; do printf "out$i\\0\\377\\n"; printf "err$i\\n" >&2; done; sh -c 'echo last >&2'`)
		want := "out1\x00\xff\nerr1\nout2\x00\xff\nerr2\nout3\x00\xff\nerr3\nlast\n"
		if got := h.output(r.Out); got != want {
			h.Errorf("output %q, want %q", got, want)
		}
		if r.Err != (executor.Range{}) {
			h.Errorf("standard error has a file of its own: %+v", r.Err)
		}
	}},
	{"merged and apart in turn", func(h *harness) {
		for node := range 8 {
			command, merged := fmt.Sprintf("echo 'err of %d' >&2; echo 'out of %d'", node, node), node%2 == 0
			if !merged {
				r := h.run(node, command)
				if out, err := h.output(r.Out), h.output(r.Err); out != fmt.Sprintf("out of %d\n", node) || err != fmt.Sprintf("err of %d\n", node) {
					h.Errorf("node %d: stdout %q, stderr %q", node, out, err)
				}
				continue
			}
			if got, want := h.output(h.runMerged(node, command).Out), fmt.Sprintf("err of %d\nout of %d\n", node, node); got != want {
				h.Errorf("node %d: %q, want %q", node, got, want)
			}
		}
		if files := h.files(); files > 4 { // counting "", the missing file of a merged output
			h.Errorf("%d files: slots are not reused", files)
		}
	}},
	{"a merged output across two sessions", func(h *harness) {
		proceed := h.pipe("go")
		job := h.job(0, "echo out; echo err >&2; read x <"+proceed.path+"; echo err2 >&2; echo out2")
		job.Merge = true
		if err := h.session.Start([]wire.Job{job}); err != nil {
			h.Fatalf("start: %v", err)
		}
		h.started(0)
		h.reopen()
		h.release(proceed)
		r := h.ended(0)
		if got := h.output(r.Out); got != "out\nerr\nerr2\nout2\n" || r.Err != (executor.Range{}) {
			h.Errorf("output %q, stderr %+v", got, r.Err)
		}
	}},
	{"20 MB", func(h *harness) {
		const size = 20_000_000
		got := h.output(h.run(0, fmt.Sprintf("head -c %d /dev/zero | tr '\\0' x", size)).Out)
		if len(got) != size || strings.Trim(got, "x") != "" {
			h.Errorf("%d bytes, want %d of x", len(got), size)
		}
	}},
	{"the start of an output is known while it grows", func(h *harness) {
		said, proceed := h.pipe("said"), h.pipe("go")
		h.run(0, "echo earlier")
		h.start(1, "echo now; echo >"+said.path+"; read x <"+proceed.path)
		start := h.started(1)
		h.awaitLine(said)
		if start.Out.End != -1 {
			h.Errorf("range %+v at the start", start.Out)
		}
		h.release(proceed)
		end := h.ended(1)
		if end.Out.File != start.Out.File || end.Out.Start != start.Out.Start {
			h.Errorf("range %+v at the start, %+v at the end", start.Out, end.Out)
		}
		if got := h.output(end.Out); got != "now\n" {
			h.Errorf("output %q", got)
		}
	}},
	{"many at once and one after the other", func(h *harness) {
		const rounds, width = 12, 8
		var all sync.WaitGroup
		for lane := range width {
			all.Go(func() {
				for round := range rounds {
					node := lane*rounds + round
					text := fmt.Sprintf("out of %d", node)
					h.start(node, fmt.Sprintf("echo '%s'; echo 'err of %d' >&2", text, node))
					r, ok := h.news.await(executor.Ended, id(node))
					if got := h.output(r.Out); !ok || got != text+"\n" {
						h.Errorf("node %d: %q", node, got)
					}
					if got, want := h.output(r.Err), fmt.Sprintf("err of %d\n", node); got != want {
						h.Errorf("node %d: %q", node, got)
					}
				}
			})
		}
		all.Wait()
		if files := h.files(); files > 4*width {
			h.Errorf("%d files for %d executions at a time: slots are not reused", files, width)
		}
	}},
	{"a process left behind does not write into the next output", func(h *harness) {
		for node, leave := range []string{
			"{ read x <%s; echo late; echo done >%s; } & echo first",
			"setsid sh -c 'read x <%s; echo late; echo done >%s' & echo first",
			"(setsid sh -c 'read x <%s; echo late; echo done >%s' &) ; echo first",
		} {
			wait, done := h.pipe(fmt.Sprint("wait", node)), h.pipe(fmt.Sprint("done", node))
			first := h.run(10*node, fmt.Sprintf(leave, wait, done))
			if got := h.output(first.Out); got != "first\n" {
				h.Errorf("%s: output %q", leave, got)
			}
			second := h.pipe(fmt.Sprint("second", node))
			h.start(10*node+1, "echo second; read x <"+second.path)
			h.started(10*node + 1)
			h.release(wait)
			h.awaitLine(done)
			h.release(second)
			if got := h.output(h.ended(10*node + 1).Out); got != "second\n" {
				h.Errorf("%s: output of the next %q", leave, got)
			}
		}
	}},
	{"a huge file is not used again", func(h *harness) {
		big := h.run(0, "head -c 70000000 /dev/zero")
		if next := h.run(1, "echo small"); next.Out.File == big.Out.File || h.output(next.Out) != "small\n" {
			h.Errorf("next output %+v", next.Out)
		}
	}},
}

// files returns the number of output files of the run.
func (h *harness) files() int {
	seen := make(map[string]bool)
	for _, r := range h.news.all() {
		if r.Kind == executor.Ended && strings.TrimSpace(r.Out.File) != "" {
			seen[r.Out.File], seen[r.Err.File] = true, true
		}
	}
	return len(seen)
}
