//go:build linux

package slurmtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A supervisor starts the daemons of a cluster. It is this test binary in a second process. Processes whose parents end become its
// children, too. When its standard input ends, because the test has ended in whatever way, it kills all its descendants and
// all processes with a variable in their environment that is the path of a file of the cluster, and removes its folders.

// superviseVariable is set in the environment of the supervisor to the folder of the cluster.
const superviseVariable = "WF_SLURMTEST_SUPERVISE"

func init() {
	if dir := os.Getenv(superviseVariable); dir != "" {
		supervise(dir, os.Stdin, os.Stdout)
		os.Exit(0)
	}
}

// A request asks the supervisor for something.
type request struct {
	Do   string // start, signal, wait or list
	Name string // of the process

	// Of start:
	Argv      []string
	Env       []string
	Dir       string
	Log       string // the file for its outputs
	Namespace bool   // it gets a network, a host name and mounts of its own

	Signal  syscall.Signal // of signal
	Timeout time.Duration  // of wait
}

// An answer is the answer to a request.
type answer struct {
	PID   int
	Error string
	Ended []string // of list: the processes that have ended without being told to
	Jobs  []int    // of list: all other descendants, which are jobs or belong to them
}

// A supervisor is the supervising process.
type supervisor struct {
	mu    sync.Mutex      // guards what follows, and is held while a process is started
	pids  map[string]int  // of processes that have not ended
	told  map[string]bool // names of those that were told to end
	ended map[string]bool // names of those that have ended without that
	waits chan struct{}   // closed and replaced when a process ends
}

func supervise(dir string, requests io.Reader, answers io.Writer) {
	s := &supervisor{pids: map[string]int{}, ended: map[string]bool{}, told: map[string]bool{}, waits: make(chan struct{})}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		fmt.Fprintln(os.Stderr, "supervisor:", err)
		return
	}
	children := make(chan os.Signal, 1)
	signal.Notify(children, syscall.SIGCHLD)
	go func() {
		for range children {
			s.reap()
		}
	}()
	in, out := json.NewDecoder(requests), json.NewEncoder(answers)
	for {
		var r request
		if in.Decode(&r) != nil {
			break // the test has ended
		}
		if out.Encode(s.do(r)) != nil {
			break
		}
	}
	s.killAll(dir)
	os.RemoveAll(dir)
	os.RemoveAll(home(dir))
}

// reap takes note of processes that have ended.
func (s *supervisor) reap() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || pid <= 0 {
			return
		}
		for name, p := range s.pids {
			if p == pid {
				delete(s.pids, name)
				s.ended[name] = !s.told[name]
			}
		}
		close(s.waits)
		s.waits = make(chan struct{})
	}
}

func (s *supervisor) do(r request) (a answer) {
	var err error
	switch r.Do {
	case "start":
		a.PID, err = s.start(r)
	case "signal":
		err = s.signal(r.Name, r.Signal)
	case "wait":
		err = s.wait(r.Name, r.Timeout)
	case "list":
		a.Ended, a.Jobs = s.list()
	default:
		err = fmt.Errorf("unknown request %q", r.Do)
	}
	if err != nil {
		a.Error = err.Error()
	}
	return a
}

func (s *supervisor) start(r request) (pid int, err error) {
	log, err := os.OpenFile(r.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	defer log.Close()
	cmd := exec.Command(r.Argv[0], r.Argv[1:]...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = r.Env, r.Dir, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if r.Namespace {
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWNET | syscall.CLONE_NEWUTS | syscall.CLONE_NEWNS
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pids[r.Name] != 0 {
		return 0, fmt.Errorf("%s runs already", r.Name)
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	pid = cmd.Process.Pid
	s.pids[r.Name] = pid
	delete(s.ended, r.Name)
	delete(s.told, r.Name)
	return pid, cmd.Process.Release()
}

func (s *supervisor) signal(name string, sig syscall.Signal) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pids[name] == 0 {
		return fmt.Errorf("%s does not run", name)
	}
	s.told[name] = sig == syscall.SIGTERM || sig == syscall.SIGKILL
	return syscall.Kill(s.pids[name], sig)
}

// wait returns when a process has ended.
func (s *supervisor) wait(name string, timeout time.Duration) error {
	limit := time.After(timeout)
	for {
		s.mu.Lock()
		pid, waits := s.pids[name], s.waits
		s.mu.Unlock()
		if pid == 0 {
			return nil
		}
		select {
		case <-waits:
		case <-limit:
			return fmt.Errorf("%s has not ended in %v", name, timeout)
		}
	}
}

func (s *supervisor) list() (ended []string, jobs []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var own []int // all but nodes may have children, which are not of jobs
	for name, pid := range s.pids {
		if own = append(own, pid); !strings.HasPrefix(name, slurmdPrefix) {
			own = append(own, descendants(pid)...)
		}
	}
	jobs = slices.DeleteFunc(descendants(os.Getpid()), func(pid int) bool { return slices.Contains(own, pid) })
	for name, unasked := range s.ended {
		if unasked {
			ended = append(ended, name)
		}
	}
	return ended, jobs
}

// killAll kills all descendants and all users of the cluster, until none is left.
func (s *supervisor) killAll(dir string) {
	for limit := time.Now().Add(time.Minute); time.Now().Before(limit); time.Sleep(5 * time.Millisecond) {
		all := append(descendants(os.Getpid()), users(dir)...)
		for _, pid := range all {
			syscall.Kill(pid, syscall.SIGKILL)
		}
		s.reap()
		if len(all) == 0 {
			return
		}
	}
}

// users returns the processes with a variable in their environment that is the path of a file of the cluster, such as that of
// Cluster.Env. Daemons of wf keep only those of their own folders.
func users(dir string) (pids []int) {
	paths, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), "="+dir+"/") && !strings.Contains(string(text), "="+home(dir)+"/") {
			continue // it has ended, is of another user, or has nothing to do with the cluster
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil && pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}

// descendants returns the children of a process and theirs, without those that have ended.
func descendants(of int) []int {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	children := map[int][]int{}
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// PID (NAME) STATE PARENT …; a name may contain anything
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if len(fields) < 2 || fields[0] == "Z" {
			continue
		}
		pid, err1 := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		parent, err2 := strconv.Atoi(fields[1])
		if errors.Join(err1, err2) == nil {
			children[parent] = append(children[parent], pid)
		}
	}
	found := slices.Clone(children[of])
	for i := 0; i < len(found); i++ {
		found = append(found, children[found[i]]...)
	}
	return found
}
