package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
)

func TestAdviseFile(t *testing.T) {
	for _, c := range []struct{ file, fix, want string }{
		{"x.graphml", "wf stop 3", "wf stop --file x.graphml 3"},
		{"x.graphml", "wf edit type a b non-blocking, or wf edit remove-edge a b",
			"wf edit type --file x.graphml a b non-blocking, or wf edit remove-edge --file x.graphml a b"},
		{"x.graphml", "wf attach 3 watches it, wf stop 3 ends it", "wf attach --file x.graphml 3 watches it, wf stop --file x.graphml 3 ends it"},
		{"x.graphml", "wf ls lists all nodes", "wf ls --file x.graphml lists all nodes"},
		{"x.graphml", "wf check shows all problems", "wf check --file x.graphml shows all problems"},
		{"x.graphml", "wf runs lists them", "wf runs --file x.graphml lists them"},
		{"x.graphml", "wf runs show 3", "wf runs show --file x.graphml 3"},
		{"x.graphml", "wf edit set run label COMMAND", "wf edit set --file x.graphml run label COMMAND"}, // a node with the name run
		{"x.graphml", "name one: wf stop 1, or stop all: wf stop --all",
			"name one: wf stop --file x.graphml 1, or stop all: wf stop --file x.graphml --all"},
		{"x.graphml", "wf attach 3 --file y.graphml", "wf attach 3 --file y.graphml"},
		{"x.graphml", "wf attach 3 --file y.graphml, or wf run", "wf attach 3 --file y.graphml, or wf run --file x.graphml"},
		{"x.graphml", "wf run --help", "wf run --help"},
		{"x.graphml", "wf --help", "wf --help"},
		{"x.graphml", "wf new Workfile creates one", "wf new Workfile creates one"},
		{"x.graphml", "wf server stop --wait (until they are over)", "wf server stop --wait (until they are over)"},
		{"x.graphml", "chmod 600 /run/wf/daemon.json", "chmod 600 /run/wf/daemon.json"},
		{"x.graphml", "use awf run, wfrun", "use awf run, wfrun"},
		{"x.graphml", "", ""},
		{"it's mine.graphml", "wf run", `wf run --file 'it'\''s mine.graphml'`},
		{"sub/x.graphml", "wf run", "wf run --file sub/x.graphml"},
		{"/else/Workfile", "wf run", "wf run --file /else/Workfile"},
		{"Workfile", "wf stop 3", "wf stop 3"},
	} {
		e := &env{Console: console.Console{Dir: "/home/me"}}
		e.workpath = e.Abs(c.file)
		if got := e.adviseFile(c.fix); got != c.want {
			t.Errorf("%s: %q\n got %q\nwant %q", c.file, c.fix, got, c.want)
		}
	}
	if got := (&env{Console: console.Console{Dir: "/"}}).adviseFile("wf stop 3"); got != "wf stop 3" {
		t.Errorf("no workfile named: %q", got)
	}
}

// TestErrorsAdviseFile checks that the fixes of errors name the file of the command.
func TestErrorsAdviseFile(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ name, want string }{
		{"", "fix: wf stop 3\n"},
		{"Workfile", "fix: wf stop 3\n"},
		{"./Workfile", "fix: wf stop 3\n"},
		{"x.graphml", "fix: wf stop --file x.graphml 3\n"},
	} {
		for _, file := range []string{"Workfile", "x.graphml"} {
			if err := os.WriteFile(filepath.Join(dir, file), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var b bytes.Buffer
		e := &env{Console: console.Console{Dir: dir, Stderr: &b}}
		if _, err := e.workfile(c.name); err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{
			&api.Error{Code: api.CodeConflict, Message: "busy", Fix: "wf stop 3"},
			errors.Join(&api.Error{Code: api.CodeConflict, Message: "busy", Fix: "wf stop 3"}),
			&exit.Failure{What: "busy", Fix: "wf stop 3"},
		} {
			b.Reset()
			if printError(e, err); !strings.HasSuffix(b.String(), c.want) {
				t.Errorf("%q: %q, want %q at its end", c.name, b.String(), c.want)
			}
		}
	}
}

func TestAdviseHost(t *testing.T) {
	for _, c := range []struct{ machine, text, want string }{
		{"", "wf stop 3", "wf stop 3"},
		{"hpc", "wf stop 3", "wf --host hpc stop 3"},
		{"hpc", "name one: wf stop 1, or stop all: wf stop --all", "name one: wf --host hpc stop 1, or stop all: wf --host hpc stop --all"},
		{"ssh://me@box", "wf server restart", "wf --host ssh://me@box server restart"},
		{"hpc", "wf resume --host hpc --file x, or wf run", "wf resume --host hpc --file x, or wf --host hpc run"},
		{"hpc", "use it there: wf --host ssh://login2 …", "use it there: wf --host ssh://login2 …"},
		{"hpc", "wf host install hpc; wf help new", "wf host install hpc; wf help new"},
		{"hpc", "the wf that wrote it; use awf run", "the wf that wrote it; use awf run"},
		{"hpc", "chmod 600 /run/wf/daemon.json", "chmod 600 /run/wf/daemon.json"},
	} {
		if got := adviseHost(c.machine, c.text); got != c.want {
			t.Errorf("%q, %q: %q, want %q", c.machine, c.text, got, c.want)
		}
	}
}
