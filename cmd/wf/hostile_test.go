package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
)

// hostile is text with control sequences: a title, a clipboard, a cleared screen, an
// 8-bit CSI, a bell, a reversed reading direction.
const hostile = "a\x1b]0;owned\x07b\x1b]52;c;aGk=\x1b\\c\x1b[2Jd\u009b31me\u202ef\x08g"

// hostileWorkfile returns a workfile with hostile text in every field, as raw bytes. The reader accepts them, except C0
// characters in the attributes of elements, and refuses to run such commands.
func hostileWorkfile() string {
	const id = "\u009b31m\u202e\u0085"
	h := hostile
	var label strings.Builder
	_ = xml.EscapeText(&label, []byte("printf '\\033]0;owned\\007\\033[2J\\302\\2331m'; exit 1 # "))
	data := func(key, value string) string { return fmt.Sprintf("<data key=%q>%s</data>", key, value) }
	return markupHead + data("wrapper", "sh -c '{}' # "+h) +
		fmt.Sprintf("<node id=\"n%s\">%s%s%s</node>", id, data("name", "name"+h), data("label", label.String()+id), data("group", h)) +
		fmt.Sprintf("<node id=\"m%s\">%s</node>", id, data("label", "true "+id)) +
		fmt.Sprintf("<edge id=\"%s\" source=\"n%s\" target=\"m%s\">%s</edge>", id, id, id, data("edge_type", h)) +
		"</graph></graphml>"
}

// TestHostileWorkfile runs every command that prints about a workfile, with hostile text in all fields and in its name, and
// checks that neither text nor JSON contains control sequences.
func TestHostileWorkfile(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a daemon")
	}
	bin, dir := buildProgram(t), t.TempDir()
	home, err := os.MkdirTemp("", "wf") // a short path, for the socket
	if err != nil {
		t.Fatal(err)
	}
	w := &sandbox{home: home, bin: bin, vars: append(os.Environ(), "WF_RUNTIME_DIR="+home+"/run", "WF_STATE_DIR="+home+"/state")}
	t.Cleanup(func() {
		if err := w.end(); err != nil {
			t.Error(err)
		}
	})
	file := "w" + strings.ReplaceAll(hostile, "/", "") + ".graphml"
	if err := os.WriteFile(filepath.Join(dir, file), []byte(hostileWorkfile()), 0o600); err != nil {
		t.Fatal(err)
	}
	unread := 0
	for _, args := range [][]string{
		{"check"}, {"check", "--json"}, {"plan"}, {"plan", "--json"}, {"ls"}, {"ls", "--json"},
		{"run"}, {"run", "--fresh", "--verbose"}, {"run", "--fresh", "--json"}, {"run", "--fresh", "-d"}, {"stop"}, {"run", "--fresh", "--output", "failed"},
		{"resume"}, {"status"}, {"status", "--json"}, {"runs"}, {"runs", "--json"}, {"runs", "show", "1"}, {"runs", "show", "1", "--json"},
		{"why", "name*"}, {"why", "name*", "--json"}, {"why", hostile}, {"logs", hostile}, {"ls", "s:" + hostile}, {"run", "--nodes", hostile},
		{"edit", "add-node", hostile, "--name", "x" + hostile}, {"edit", "set", "x*", "name", hostile}, {"edit", "add-edge", "x*", "m*"},
		{"edit", "undo"}, {"edit", "redo"}, {"edit", "remove-node", hostile}, {"edit", "status", "name*", hostile}, {"reset"},
		{"attach", hostile}, {"attach"}, {"stop", hostile}, {"runs", "show", hostile}, {"server", "ls"}, {"server", "status"}, {"server", hostile}, {hostile},
	} {
		if len(args) > 1 || args[0] != hostile {
			if args[0] != "server" {
				args = append(args, "--file", file)
			}
		}
		cmd := exec.Command(filepath.Join(bin, "wf"), args...)
		cmd.Dir, cmd.Env = dir, w.vars
		out, err := cmd.CombinedOutput() // many are refused with a message
		if statusOf(err) == exit.BadWorkfile {
			unread++
			t.Logf("wf %q: %s", args, out)
		}
		if i := strings.IndexFunc(string(out), obeyed); i >= 0 {
			t.Errorf("wf %q prints, at byte %d:\n%q", args, i, out)
		}
	}
	if unread > 0 {
		t.Errorf("the workfile was not read %d times: nothing of it was printed", unread)
	}
}

// TestJSONForTerminals checks that texts escaped for terminals decode to the original.
func TestJSONForTerminals(t *testing.T) {
	want := "<é>\u009b31m\x7f\u202e\u2066" + hostile
	var b bytes.Buffer
	if err := console.WriteJSON(&b, want); err != nil {
		t.Fatal(err)
	}
	var got string
	if err := json.Unmarshal(b.Bytes(), &got); err != nil || got != want || strings.IndexFunc(b.String(), obeyed) >= 0 {
		t.Errorf("%q reads as %q, %v", b.String(), got, err)
	}
}
