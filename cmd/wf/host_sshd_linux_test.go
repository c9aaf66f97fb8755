package main

import (
	"bytes"
	"cmp"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A loopback is a real sshd on this machine, and an environment for wf whose ssh reaches it. The other side of ssh has other
// folders.
type loopback struct {
	t    *testing.T
	wf   string
	far  string // home folder of the other side
	port int
	log  lockedBuffer // of sshd
	vars []string

	serves, reached string // the address of sshd, and the one that ssh connects to
}

// A loopbackSetup is how sshd is started. Zero values are replaced by those of the comments.
type loopbackSetup struct {
	serves, reached string   // the address of sshd, and the one that ssh connects to; 127.0.0.1
	more            string   // lines of its configuration
	env             []string // replaces a part of the environment of the other side
}

// fewSessions are lines of the configuration of an sshd that allows little.
const fewSessions = "MaxSessions 1\nMaxStartups 2:100:2\n"

// newLoopback starts sshd with a key and a port of its own.
func newLoopback(t *testing.T, setup loopbackSetup) *loopback {
	sshd, err := exec.LookPath("/usr/sbin/sshd")
	if err != nil {
		t.Skip("no sshd on this machine: apt-get install openssh-server")
	}
	if os.Geteuid() == 0 {
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Skip("sshd needs /run/sshd: ", err)
		}
	}
	dir, err := os.MkdirTemp("", "wf")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	l := &loopback{t: t, wf: filepath.Join(buildProgram(t), "wf"), far: filepath.Join(dir, "far"),
		serves: cmp.Or(setup.serves, "127.0.0.1"), reached: cmp.Or(setup.reached, "127.0.0.1")}
	l.configure(dir, setup.more, strings.Join(setup.env, " "))
	server := exec.Command(sshd, "-D", "-e", "-f", filepath.Join(dir, "sshd_config"))
	server.Stdout, server.Stderr = &l.log, &l.log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
		if t.Failed() {
			t.Logf("sshd: %s", l.log.String())
		}
	})
	if !await(func() bool {
		conn, err := net.Dial("tcp", net.JoinHostPort(l.serves, strconv.Itoa(l.port)))
		if err == nil {
			conn.Close()
		}
		return err == nil
	}) {
		t.Fatal("sshd does not listen")
	}
	return l
}

// configure writes the keys and the configuration of both sides below dir, and the environment of wf.
func (l *loopback) configure(dir, more, env string) {
	t := l.t
	t.Helper()
	for _, key := range []string{"host", "user"} {
		l.must(exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, key)))
	}
	l.write(filepath.Join(l.far, ".profile"), "echo Welcome; export FROM_PROFILE=yes\n")
	if err := os.MkdirAll(filepath.Join(l.far, ".local/bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(l.wf, filepath.Join(l.far, ".local/bin/wf")); err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", l.serves+":0")
	if err != nil {
		t.Fatal(err)
	}
	l.port = free.Addr().(*net.TCPAddr).Port
	free.Close()
	l.write(filepath.Join(dir, "sshd_config"), fmt.Sprintf(`Port %d
ListenAddress %[3]s
HostKey %[2]s/host
AuthorizedKeysFile %[2]s/user.pub
StrictModes no
UsePAM no
PidFile none
PermitRootLogin yes
SetEnv HOME=%[2]s/far WF_RUNTIME_DIR=%[2]s/far/run WF_STATE_DIR=%[2]s/far/state SHELL=/bin/sh %[4]s
%[5]s`, l.port, dir, l.serves, env, more))
	known, err := os.ReadFile(filepath.Join(dir, "host.pub"))
	if err != nil {
		t.Fatal(err)
	}
	l.write(filepath.Join(dir, "known"), fmt.Sprintf("[%s]:%d %s", l.reached, l.port, known))
	l.write(filepath.Join(dir, "config"), fmt.Sprintf("Host box\n\tHostName %[3]s\n\tPort %[1]d\n\tIdentityFile %[2]s/user\n\tIdentitiesOnly yes\n\tUserKnownHostsFile %[2]s/known\n", l.port, dir, l.reached))
	ssh, err := exec.LookPath("ssh")
	if err != nil {
		t.Skip("no ssh on this machine: apt-get install openssh-client")
	}
	l.write(filepath.Join(dir, "bin/ssh"), fmt.Sprintf("#!/bin/sh\necho $$ >> %s/pids\nexec %s -F %[1]s/config \"$@\"\n", dir, ssh))
	if err := os.Chmod(filepath.Join(dir, "bin/ssh"), 0o755); err != nil {
		t.Fatal(err)
	}
	l.vars = []string{"PATH=" + filepath.Join(dir, "bin") + ":" + os.Getenv("PATH"), "HOME=" + dir,
		"WF_RUNTIME_DIR=" + filepath.Join(dir, "run"), "WF_STATE_DIR=" + filepath.Join(dir, "state")}
}

func (l *loopback) write(path, text string) {
	l.t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		l.t.Fatal(err)
	}
}

func (l *loopback) must(cmd *exec.Cmd) string {
	l.t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		l.t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	return string(out)
}

func (l *loopback) command(args ...string) *exec.Cmd {
	cmd := exec.Command(l.wf, args...)
	cmd.Env, cmd.Dir = l.vars, filepath.Dir(l.far)
	return cmd
}

// endDaemons has the test end the daemon over there, and the connection.
func (l *loopback) endDaemons() {
	l.t.Cleanup(func() {
		_ = l.command("--host", "ssh://box", "server", "stop", "--cancel").Run()
		_ = l.command("host", "disconnect", "ssh://box").Run()
	})
}

// pids returns the processes of ssh, the latest last.
func (l *loopback) pids() []string {
	data, _ := os.ReadFile(filepath.Join(filepath.Dir(l.far), "pids"))
	return strings.Fields(string(data))
}

// TestRealSSHD uses an sshd that accepts one session of a connection and two connections at a time.
func TestRealSSHD(t *testing.T) {
	if testing.Short() {
		t.Skip("starts sshd and daemons")
	}
	l := newLoopback(t, loopbackSetup{more: fewSessions})
	l.endDaemons()
	fifo := filepath.Join(l.far, "go")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	// The environment is that of a login there.
	l.write(filepath.Join(l.far, "lines"), "echo profile $FROM_PROFILE; cat go; for i in 1 2 3 4 5; do echo tick $i; done\n")
	l.must(l.command("--host", "ssh://box", "new", "Workfile", "--from-lines", "lines"))

	run := l.command("--host", "ssh://box", "run", "--output", "stream")
	var out, messages lockedBuffer
	run.Stdout, run.Stderr = &out, &messages
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	if !await(func() bool { return strings.Contains(out.String(), "profile yes") }) {
		t.Fatalf("no output: %s %s", out.String(), messages.String())
	}

	// ssh is killed while the run is watched.
	before := l.pids()
	pid := 0
	fmt.Sscan(before[len(before)-1], &pid)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	l.must(l.command("--host", "ssh://box", "status"))
	t.Logf("connected again after %v", time.Since(killed))
	l.must(exec.Command("sh", "-c", "echo > "+fifo))
	if err := run.Wait(); err != nil {
		t.Fatalf("the watched run: %v\n%s%s", err, out.String(), messages.String())
	}
	for i := range 5 {
		if tick := fmt.Sprintf("tick %d\n", i+1); strings.Count(out.String(), tick) != 1 {
			t.Errorf("%q arrived %d times:\n%s", tick, strings.Count(out.String(), tick), out.String())
		}
	}

	// 100 commands at once use the one connection.
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			if out, err := l.command("--host", "ssh://box", "status").CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	if after := l.pids(); len(after) != len(before)+1 {
		t.Errorf("%d processes of ssh, want %d", len(after), len(before)+1)
	}
}

// A lockedBuffer is a buffer for several goroutines.
type lockedBuffer struct {
	mu sync.Mutex // guards b
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
