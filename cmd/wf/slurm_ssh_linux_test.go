package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"wf/executor/cluster/slurmtest"
)

// The cluster is reached through ssh only: the daemon has neither its configuration nor its files.
func slurmThroughSSH(t *testing.T, wf string) {
	if os.Geteuid() != 0 {
		t.Skip("only root can hide files from a daemon")
	}
	s := newSite(t, wf, slurmtest.Config{}, "via = \"ssh box\"\ndir = \"~/runs\"\n")
	l := newLoopback(t, loopbackSetup{env: append(s.Env(), "PATH="+s.path("bin")+":"+os.Getenv("PATH"))})
	s.vars = []string{"PATH=" + filepath.Join(filepath.Dir(l.far), "bin") + ":" + os.Getenv("PATH"), "HOME=" + s.home, "USER=tester", "LANG=C.UTF-8",
		"WF_RUNTIME_DIR=" + s.path("run"), "WF_STATE_DIR=" + s.path("state")}
	hide := fmt.Sprintf("mount -t tmpfs none %s && mount -t tmpfs none %s && exec \"$@\"", l.far, filepath.Dir(s.Conf))
	s.prefix = []string{"unshare", "--mount", "sh", "-c", hide, "sh"}
	t.Cleanup(func() {
		s.prefix = nil
		_ = s.command("server", "stop", "--cancel").Run() // while there is an sshd
		for _, pid := range s.masters() {
			_ = syscall.Kill(pid, syscall.SIGTERM)
		}
	})

	text, codes := layers(2, 3)
	s.workfile(text)
	s.wfOutput(1, "run", "--executor", "hpc")
	s.ranOnce(codes)
	if out := s.wfOutput(0, "logs", "n1x2"); !strings.Contains(out, "this is n1x2\n") || !strings.Contains(out, "and an error of n1x2\n") {
		t.Errorf("the output is %q", out)
	}
	if n := connections(l); n != 1 {
		t.Errorf("%d connections of ssh", n)
	}

	// ssh is killed while commands run, and what they do meanwhile arrives.
	s.workfile("a: echo x >> ran/a; echo before; until [ -e go ]; do sleep 0.1; done; echo after; echo v=1 >> $WF_OUTPUT; exit 4\nb: echo x >> ran/b; echo value $V\nb.env = V=${{ nodes.a.outputs.v }}\na -> b when done\n")
	s.start("--fresh")
	s.await("the output arrives", func() bool { return s.wfOutput(0, "logs", "a") == "before\n" })
	masters := s.masters()
	if len(masters) != 1 {
		t.Errorf("%d connections are kept", len(masters))
	}
	for _, pid := range masters {
		s.must(syscall.Kill(pid, syscall.SIGKILL))
	}
	s.write("go", "")
	s.finish()
	s.ranOnce(map[string]int{"a": 4, "b": 0})
	if out := s.wfOutput(0, "logs", "a", "b"); !strings.Contains(out, "before\n") || !strings.Contains(out, "after\n") || !strings.Contains(out, "value 1\n") {
		t.Errorf("the output is %q", out)
	}
	if n := connections(l); n != 2 {
		t.Errorf("%d connections of ssh, after one was killed", n)
	}
	s.nothingLeft()
}

// connections returns how many connections sshd has accepted.
func connections(l *loopback) int { return strings.Count(l.log.String(), "Accepted publickey") }

// masters returns the processes of ssh that keep a connection for the daemon.
func (s *site) masters() (pids []int) {
	paths, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range paths {
		line, _ := os.ReadFile(path)
		if bytes.HasPrefix(line, []byte("ssh: "+s.path("run"))) && bytes.Contains(line, []byte("[mux]")) {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			s.must(err)
			pids = append(pids, pid)
		}
	}
	return pids
}
