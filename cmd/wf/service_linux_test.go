package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"wf/cmd/wf/exit"
)

// systemd starts a real systemd for one user, which does not need the systemd of the machine. It returns the variables of a
// session of that user, whose folder has a name that a unit must quote.
func systemd(t *testing.T) []string {
	t.Helper()
	if testing.Short() {
		t.Skip("starts systemd")
	}
	if os.Getuid() != 0 {
		t.Skip("only root can make /run/systemd for itself")
	}
	for _, program := range []string{"systemctl", "/lib/systemd/systemd", "unshare"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("there is no", program)
		}
	}
	dir, err := os.MkdirTemp("", "wf")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	home, runtime := filepath.Join(dir, `a "b" %n $HOME`), filepath.Join(dir, "r %i")
	for _, d := range []string{home, filepath.Join(runtime, "systemd")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"HOME=" + home, "XDG_RUNTIME_DIR=" + runtime, "PATH=" + os.Getenv("PATH"), "USER=root"}
	cmd := exec.Command("unshare", "-m", "sh", "-c", "mount -t tmpfs none /run/systemd && mkdir /run/systemd/system && exec /lib/systemd/systemd --user")
	cmd.Env = env
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-ended
	})
	answers := func() bool {
		probe := exec.Command("systemctl", "--user", "show-environment")
		probe.Env = env
		return probe.Run() == nil
	}
	if !await(func() bool { return len(ended) > 0 || answers() }) || len(ended) > 0 {
		t.Skip("systemd does not run here")
	}
	return env
}

// A systemdUser is a user of a machine with systemd.
type systemdUser struct {
	*testing.T
	env          []string
	program, dir string
}

// call runs a program and returns its output. The test fails if the exit status of the program is not want.
func (l *systemdUser) call(want int, name string, args ...string) string {
	l.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Dir = l.env, l.dir
	out, err := cmd.CombinedOutput()
	if statusOf(err) != want {
		l.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// wf is call for wf.
func (l *systemdUser) wf(want int, args ...string) string {
	l.Helper()
	return l.call(want, l.program, args...)
}

// mainPID returns the daemon of the service, or 0.
func (l *systemdUser) mainPID() int {
	l.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(l.call(0, "systemctl", "--user", "show", "-P", "MainPID", "wf.service")))
	if err != nil {
		l.Fatal(err)
	}
	return pid
}

// serves fails the test if the running daemon is not that of the service.
func (l *systemdUser) serves() {
	l.Helper()
	if out := l.wf(exit.OK, "server", "status"); !strings.Contains(out, "pid "+strconv.Itoa(l.mainPID())) {
		l.Errorf("the daemon is not that of the service %d: %s", l.mainPID(), out)
	}
}

// TestServiceOfSystemd installs the daemon as a service of a real systemd: it is started again when it was killed, and ends and
// starts when wf says so; the run continues meanwhile, and after the service was removed.
func TestServiceOfSystemd(t *testing.T) {
	l := &systemdUser{T: t, env: systemd(t), program: filepath.Join(buildProgram(t), "wf"), dir: t.TempDir()}
	t.Cleanup(func() { l.wf(exit.OK, "server", "stop", "--cancel") })
	data, err := graphMarkup("a: cat go; echo a >> log\nb: echo b >> log\na -> b\n")
	if err == nil {
		err = os.WriteFile(filepath.Join(l.dir, "Workfile"), []byte(data), 0o600)
	}
	if err = errors.Join(err, syscall.Mkfifo(filepath.Join(l.dir, "go"), 0o600)); err != nil {
		t.Fatal(err)
	}
	l.wf(exit.OK, "run", "-d") // with a daemon of its own, which the service replaces

	if out := l.wf(exit.OK, "server", "install"); !strings.Contains(out, "started: pid "+strconv.Itoa(l.mainPID())) {
		t.Errorf("install: %s", out)
	}
	first := l.mainPID()
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if !await(func() bool { pid := l.mainPID(); return pid != 0 && pid != first }) {
		t.Fatal("systemd does not start the daemon again")
	}
	l.call(0, "systemctl", "--user", "stop", "wf.service")
	if !await(func() bool { return l.mainPID() != 0 }) {
		t.Fatal("the runner does not start the service")
	}
	l.wf(exit.OK, "server", "restart")
	l.serves()
	if l.wf(exit.OK, "server", "install", "--slots", "3"); !strings.Contains(l.wf(exit.OK, "server", "status"), "of 3 in use") {
		t.Error("a second install does not replace the first")
	}
	l.serves()
	l.wf(exit.OK, "server", "uninstall")
	if err := os.WriteFile(filepath.Join(l.dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	written := func() bool {
		log, _ := os.ReadFile(filepath.Join(l.dir, "log"))
		return string(log) == "a\nb\n"
	}
	if !await(written) {
		t.Error("the run does not continue")
	}
}
