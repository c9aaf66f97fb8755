package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A rebootMachine is a machine within this one: it has processes, a boot and a runtime folder of its own, which end together, and
// files that stay.
type rebootMachine struct {
	*testing.T
	dir  string // run (empty at each boot), state, work
	bin  string
	init *exec.Cmd // the first process; nil while the machine is off
	to   *os.File  // the shell of the machine
}

// boot starts the machine.
func (m *rebootMachine) boot(id string) {
	m.Helper()
	if err := os.WriteFile(filepath.Join(m.dir, "boot"), []byte(id+"\n"), 0o600); err != nil {
		m.Fatal(err)
	}
	m.init = exec.Command("unshare", "--pid", "--fork", "--mount", "--mount-proc", "--kill-child", "sh", "-c",
		`mount --bind "$DIR/boot" /proc/sys/kernel/random/boot_id && mount -t tmpfs -o mode=700 none "$DIR/run" || exit 1
		while read -r line; do eval "$line"; echo "$?" > "$DIR/status"; done`)
	m.init.Env = append(os.Environ(), "DIR="+m.dir, "WF_RUNTIME_DIR="+filepath.Join(m.dir, "run"), "WF_STATE_DIR="+filepath.Join(m.dir, "state"), "PATH="+m.bin+":"+os.Getenv("PATH"))
	m.init.Dir, m.init.Stderr = filepath.Join(m.dir, "work"), os.Stderr
	in, to, err := os.Pipe()
	if err != nil {
		m.Fatal(err)
	}
	m.init.Stdin, m.to = in, to
	if err := m.init.Start(); err != nil {
		m.Fatal(err)
	}
	in.Close()
}

// cut switches the machine off: all of its processes are gone.
func (m *rebootMachine) cut() {
	if m.init == nil {
		return
	}
	_ = m.init.Process.Signal(syscall.SIGKILL)
	_ = m.init.Wait() // it was killed
	m.to.Close()
	m.init = nil
}

// sh executes a line in the machine and returns what it prints. The test fails if its status is not 0.
func (m *rebootMachine) sh(line string) string {
	m.Helper()
	status, out := filepath.Join(m.dir, "status"), filepath.Join(m.dir, "out")
	os.Remove(status)
	if _, err := m.to.WriteString("{ " + line + "; } > \"$DIR/out\" 2>&1 < /dev/null\n"); err != nil {
		m.Fatal(err)
	}
	var code []byte
	if !await(func() bool { code, _ = os.ReadFile(status); return strings.HasSuffix(string(code), "\n") }) {
		m.Fatalf("%s does not end", line)
	}
	text, err := os.ReadFile(out)
	if err != nil || string(code) != "0\n" {
		m.Fatalf("%s: status %s, %v\n%s", line, code, err, text)
	}
	return string(text)
}

// states returns the states of the nodes, and when the wait of one ends.
func (m *rebootMachine) states() (states map[string]string, until string) {
	m.Helper()
	text := m.sh("wf status --json 2> /dev/null")
	var doc struct {
		Nodes []struct {
			Name, State string
			Wait        struct{ Until string }
		}
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		m.Fatalf("%v\n%s", err, text)
	}
	states = map[string]string{}
	for _, n := range doc.Nodes {
		states[n.Name] = n.State
		if n.Wait.Until != "" {
			until = n.Wait.Until
		}
	}
	return states, until
}

// TestReboot switches a machine off while a run waits for a time and for a person, executes a command, and another run waits for
// it in the queue. After the boot the waits continue
// and end at the same times as before. The command is lost and is not executed again.
func TestReboot(t *testing.T) {
	if testing.Short() {
		t.Skip("starts machines")
	}
	if os.Getuid() != 0 || exec.Command("unshare", "--pid", "--fork", "--mount", "--mount-proc", "true").Run() != nil {
		t.Skip("only root can have processes and mounts of its own")
	}
	dir, err := os.MkdirTemp("", "wf")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	m := &rebootMachine{T: t, dir: dir, bin: buildProgram(t)}
	t.Cleanup(m.cut)
	for _, name := range []string{"run", "state", "work"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	markup, err := graphMarkup("@on_busy: queue\ntimer: true\ntimer.wait = 1h\nperson: echo person >> log\nperson.approve = Go?\ncommand: echo begun >> log; sleep 1000\n")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "work", "Workfile"), []byte(markup), 0o600); err != nil {
		t.Fatal(err)
	}
	m.boot("11111111-1111-1111-1111-111111111111")
	m.sh("wf run -d --fresh")
	m.sh("until test -e log; do :; done")
	if out := m.sh("wf run -d --fresh"); !strings.Contains(out, "q1") {
		t.Fatalf("the second run is not queued: %s", out)
	}
	before, until := m.states()
	m.cut()

	m.boot("22222222-2222-2222-2222-222222222222")
	m.sh("until wf why command 2> /dev/null | grep -q 'the machine was restarted meanwhile'; do :; done")
	after, again := m.states()
	if before["timer"] != "waiting" || after["timer"] != "waiting" || until == "" || again != until {
		t.Errorf("the timer is %s until %s, and was %s until %s", after["timer"], again, before["timer"], until)
	}
	if after["command"] != "failed" || after["person"] != "waiting" {
		t.Errorf("after the boot: %v", after)
	}
	m.sh("wf approve person; until grep -q person log; do :; done")
	m.sh("wf stop 1 || true; until test $(grep -c begun log) = 2; do :; done")
	if log := m.sh("cat log"); log != "begun\nperson\nbegun\n" {
		t.Errorf("the commands were %q", log)
	}
	m.sh("wf server stop --cancel")
}
