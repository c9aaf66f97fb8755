package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wf/executor/wire"
)

// testPrograms returns a function that installs a program with an exit code into one of two folders, and the environment in
// which the folders are searched in that order.
func testPrograms(t *testing.T) (install func(folder int, name, code string) string, env []string) {
	t.Helper()
	folders := []string{t.TempDir(), t.TempDir()}
	install = func(folder int, name, code string) string {
		path := filepath.Join(folders[folder], name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\nexit "+code+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return install, []string{"PATH=" + strings.Join(folders, ":") + ":/usr/bin:/bin"}
}

func TestLookupIsSharedByJobsThatAreReady(t *testing.T) {
	install, env := testPrograms(t)
	old := install(1, "tool", "0")
	var p programs
	at := time.Now()
	find := func(ready, now int, at time.Time, want string) {
		t.Helper()
		if path, _ := p.find("tool", env, ready, moment{now, at}); path != want {
			t.Errorf("found %q, want %q", path, want)
		}
	}
	find(1, 2, at, old)
	shadow := install(0, "tool", "0")
	find(2, 3, at, old)    // it was ready at the time of the lookup
	find(3, 3, at, shadow) // it was not
	os.Remove(shadow)
	find(3, 4, at.Add(programLife-1), shadow) // exec fails, and the command goes through the shell
	find(3, 4, at.Add(programLife), old)      // the lookup is too old
	os.Remove(old)
	find(5, 5, at.Add(programLife), "")
	again := install(0, "tool", "0")
	find(5, 5, at.Add(programLife), again) // failed lookups are not kept
	if path, ok := p.find("tool", []string{"PATH=/usr/bin"}, 0, moment{6, at}); ok {
		t.Errorf("found %q in another PATH", path)
	}
}

// TestJobFindsWhatTheOneBeforeItHasInstalled starts a program, lets a job install another one of that name earlier in PATH,
// and starts that.
func TestJobFindsWhatTheOneBeforeItHasInstalled(t *testing.T) {
	install, env := testPrograms(t)
	install(1, "tool", "3")
	source := install(1, "new", "7")
	target := filepath.Join(strings.Split(strings.TrimPrefix(env[0], "PATH="), ":")[0], "tool")
	r, record := newTestRunner(t, 1)
	r.commands.env = &environment{base: env}
	id := func(node int) wire.ID { return wire.ID{Node: node, Execution: 1} }
	r.acceptJob(wire.Job{ID: id(0), Command: "tool"})
	r.acceptJob(wire.Job{ID: id(1), Command: "cp " + source + " " + target})
	r.acceptJob(wire.Job{ID: id(2), Command: "tool", After: []wire.ID{id(1)}})
	for range 3 {
		r.startNext(time.Now())
		await(t, r, 1)
	}
	for node, want := range []int{3, 0, 7} {
		if end := record.entries[record.position(wire.EntryEnd, node)]; end.Code != want {
			t.Errorf("node %d: %+v, want exit code %d", node, end, want)
		}
	}
}
