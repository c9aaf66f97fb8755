package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"wf/daemon"
)

// patience is the maximum wait of a script for an expected change. It is long because the machine may be busy.
const patience = 60 * time.Second

// await polls done until it returns true or patience ends, because there are no portable events for files and
// processes of other programs.
func await(done func() bool) bool {
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if done() {
			return true
		}
		if time.Now().After(end) {
			return false
		}
	}
}

// daemonLog returns the log of the daemon for the report of a failure.
func (w *sandbox) daemonLog() string {
	data, err := os.ReadFile(filepath.Join(w.home, "state", daemon.FileLog))
	if err != nil {
		return ""
	}
	return "daemon.log:\n" + string(data)
}

// dataRaces returns the log of the daemon as an error if it contains a data race or a panic.
func (w *sandbox) dataRaces() error {
	if log := w.daemonLog(); strings.Contains(log, "DATA RACE") || strings.Contains(log, "panic") {
		return errors.New(log)
	}
	return nil
}

// leftovers kills the processes of the sandbox that do not end in time, and describes them. It finds them by the folders
// in their command line or environment.
func (w *sandbox) leftovers() string {
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		return "" // not possible on this system
	}
	var left []int
	await(func() bool {
		left = w.processes()
		return len(left) == 0
	})
	var b strings.Builder
	for _, pid := range left {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		fmt.Fprintf(&b, "%d %s\n", pid, bytes.ReplaceAll(line, []byte{0}, []byte{' '}))
		syscall.Kill(pid, syscall.SIGKILL)
	}
	return b.String()
}

// endOtherMachine ends the connections to the machine that a fake ssh plays, and its daemon.
func (w *sandbox) endOtherMachine() {
	far := filepath.Join(w.home, "run", "far")
	if _, err := os.Stat(far); err == nil {
		stop := exec.Command(filepath.Join(w.bin, "wf"), "server", "stop", "--cancel")
		stop.Env = append(slices.Clone(w.vars), "WF_HOST=local", "WF_DAEMON_HOST=", "WF_RUNTIME_DIR="+far, "WF_STATE_DIR="+filepath.Join(w.home, "state", "far"))
		_ = stop.Run() // if this fails, leftovers finds the processes and reports them
	}
	for _, pid := range w.processes() {
		if line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); bytes.Contains(line, []byte("\x00host\x00keep\x00")) {
			_ = syscall.Kill(pid, syscall.SIGTERM)
		}
	}
}

// processes returns the processes of the sandbox.
func (w *sandbox) processes() []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var found []int
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		for _, file := range []string{"cmdline", "environ"} {
			data, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), file))
			if bytes.Contains(data, []byte(w.home+"/")) {
				found = append(found, pid)
				break
			}
		}
	}
	return found
}
