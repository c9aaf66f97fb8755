package runner

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"wf/executor/rundir"
	"wf/executor/wire"
	"wf/workspace/history"
)

// cutNodes is how many commands are in the log that is cut, cutWidth how many of them ran at once.
const (
	cutNodes = 50
	cutWidth = 4
)

// unsyncedDisk is a disk that syncs nothing, which makes the test faster.
type unsyncedDisk struct{ history.Disk }

func (h unsyncedDisk) SyncDir(string) error { return nil }

func (h unsyncedDisk) Open(path string, flag int) (history.File, error) {
	f, err := h.Disk.Open(path, flag)
	if err != nil {
		return nil, err
	}
	return unsyncedFile{f}, nil
}

type unsyncedFile struct{ history.File }

func (unsyncedFile) Sync() error { return nil }

func openLog(path string, replay func([]byte) error) (Log, error) {
	log, err := history.OpenLog(unsyncedDisk{history.LocalDisk{}}, path, replay)
	if err != nil {
		return nil, err
	}
	return log, nil
}

// newTakeover returns a runner that takes over the run in dir.
func newTakeover(t *testing.T, dir string) *runner {
	t.Helper()
	r, _ := newTestRunner(t, cutWidth)
	r.dir, r.commands.dir = dir, dir
	p, err := r.openLog(openLog)
	if err != nil {
		t.Fatal(err)
	}
	r.adopt(p)
	return r
}

// leaveTakeover closes what newTakeover has opened, except the log.
func leaveTakeover(r *runner) {
	r.outputs.slots.close()
	r.children.list.Close()
	for _, fd := range []int{r.commands.null, r.recovery.wake[0], r.recovery.wake[1], r.poller.fd} {
		unix.Close(fd)
	}
}

// logOfRun executes commands, some of which fail, and returns the runner log, and the same log with another boot id.
func logOfRun(t *testing.T) (record, earlier []byte) {
	t.Helper()
	dir := t.TempDir()
	r := newTakeover(t, dir)
	var commands []string
	for node := range cutNodes {
		commands = append(commands, fmt.Sprintf("exit %d", node%3))
	}
	commands[7] = "" // a blank command: the log contains only its end
	commands[9] = "/no/such/program"
	handOver(r, commands...)
	for begin := time.Now(); len(r.jobs.active) > 0; {
		r.turn(time.Now())
		if len(r.children.running) > 0 {
			await(t, r, 1)
		}
		if time.Since(begin) > time.Minute {
			t.Fatal("the run does not end")
		}
	}
	if err := r.log.file.Close(); err != nil {
		t.Fatal(err)
	}
	record, err := os.ReadFile(filepath.Join(dir, rundir.RunnerLogFile))
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), rundir.RunnerLogFile)
	log, err := history.OpenLog(history.LocalDisk{}, other, func([]byte) error { return nil })
	if err == nil {
		_, err = history.ReadLog(filepath.Join(dir, rundir.RunnerLogFile), func(payload []byte) error {
			return log.Append(bytes.Replace(payload, []byte(r.log.count.boot), []byte("an earlier one"), 1))
		})
	}
	if err == nil {
		err = log.Close()
	}
	if err == nil {
		earlier, err = os.ReadFile(other)
	}
	if err != nil {
		t.Fatal(err)
	}
	return record, earlier
}

// endsIn returns what the complete lines of a log say about each node: "known" or "maybe" executed, or the exit code.
func endsIn(t *testing.T, text []byte) map[int]string {
	t.Helper()
	fate := map[int]string{}
	for line := range bytes.Lines(text) {
		_, payload, framed := bytes.Cut(line, []byte(" "))
		if !framed || !bytes.HasSuffix(line, []byte("}\n")) || !bytes.HasPrefix(payload, []byte(`{"k"`)) {
			continue
		}
		var e struct {
			Kind string `json:"k"`
			Node int    `json:"n"`
			Code int    `json:"c"`
		}
		if err := json.Unmarshal(payload, &e); err != nil {
			t.Fatalf("%s: %v", payload, err)
		}
		switch e.Kind {
		case wire.EntryIntent:
			fate[e.Node] = "maybe"
		case wire.EntryFork, wire.EntryStart:
			fate[e.Node] = "known"
		case wire.EntryForget:
			delete(fate, e.Node)
		case wire.EntryEnd:
			fate[e.Node] = fmt.Sprint(e.Code)
		}
	}
	return fate
}

// TestLogCutAtEveryByte checks that a runner takes over the first bytes of the log of 50 commands, all of whose processes
// are gone: every written exit is reported, commands that may have run are lost, once, and commands that were not forked are
// left to the daemon to hand over again.
func TestLogCutAtEveryByte(t *testing.T) {
	record, earlier := logOfRun(t)
	all := *torture
	for name, text := range map[string][]byte{"runner died": record, "machine died": earlier} {
		t.Run(name, func(t *testing.T) {
			most := 0
			for n := 0; n <= len(text); n++ {
				if !all && n%151 > 0 && n < len(text) && (n == 0 || text[n-1] != '\n' || n%2 > 0) {
					continue
				}
				want := endsIn(t, text[:n])
				unsure := 0
				for node, fate := range maps.All(want) {
					switch {
					case fate == "maybe" && name == "runner died":
						delete(want, node) // no fork entry, no fork
					case fate == "maybe", fate == "known":
						want[node] = "lost"
						unsure++
					}
				}
				most = max(most, unsure)
				if got := takenOver(t, text[:n]); !maps.Equal(got, want) {
					t.Fatalf("cut at byte %d of %d\n got %v\nwant %v", n, len(text), got, want)
				}
			}
			t.Logf("%d bytes, at most %d lost", len(text), most)
			if name == "runner died" && most > cutWidth {
				t.Errorf("%d can be lost, but only %d were running at once", most, cutWidth)
			}
		})
	}
}

// takenOver returns what a runner that takes over the log announces about each node.
func takenOver(t *testing.T, text []byte) map[int]string {
	t.Helper()
	dir, err := os.MkdirTemp("", "wf")
	if err == nil {
		defer os.RemoveAll(dir)
		err = os.WriteFile(filepath.Join(dir, rundir.RunnerLogFile), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	r := emptyRunner(dir, "", Options{})
	r.jobs.width = cutWidth
	if err := r.openFiles(); err != nil {
		t.Fatal(err)
	}
	defer leaveTakeover(r)
	p, err := r.openLog(openLog)
	if err != nil {
		t.Fatal(err)
	}
	r.adopt(p)
	got := map[int]string{}
	for line := range strings.Lines(string(r.news.text)) {
		var e wire.Entry
		if err := e.Decode([]byte(strings.TrimSuffix(line, "\n"))); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if _, over := got[e.Node]; over || e.Kind != wire.EntryEnd {
			if over {
				t.Fatalf("node %d ends twice in %q", e.Node, r.news.text)
			}
			continue
		}
		got[e.Node] = fmt.Sprint(e.Code)
		if e.Lost {
			got[e.Node] = "lost"
		}
	}
	if len(r.jobs.active) > 0 || len(r.children.running) > 0 || len(r.jobs.known) != len(got) {
		t.Fatalf("%d active, %d running, %d known of %d", len(r.jobs.active), len(r.children.running), len(r.jobs.known), len(got))
	}
	if err := r.log.file.Close(); err != nil {
		t.Fatal(err)
	}
	return got
}
