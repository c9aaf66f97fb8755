package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A usage is what the threads of one or more processes have used, without their children.
type usage struct {
	cpu      time.Duration
	switches int64 // context switches, voluntary and involuntary
}

func (u usage) plus(v usage) usage  { return usage{u.cpu + v.cpu, u.switches + v.switches} }
func (u usage) minus(v usage) usage { return usage{u.cpu - v.cpu, u.switches - v.switches} }

// usageOf returns the usage of a process that runs; figures that the system does not provide are 0. Context
// switches of threads that have ended are missing.
func usageOf(pid int) (u usage) {
	u.cpu, _ = processCPU(pid)
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid)) // the pattern is valid
	for _, status := range threads {
		u.switches += statusField(status, "voluntary_ctxt_switches") + statusField(status, "nonvoluntary_ctxt_switches")
	}
	return u
}

// peakKB returns the peak memory of a process, in KiB; 0 if unknown.
func peakKB(pid int) int64 {
	return statusField(fmt.Sprintf("/proc/%d/status", pid), "VmHWM")
}

// statusField returns a number of a status file in /proc; 0 if unknown.
func statusField(file, name string) int64 {
	f, err := os.Open(file)
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), name+":"); ok {
			n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(text), " kB"), 10, 64)
			return n
		}
	}
	return 0
}

// runAlone runs cmd and returns the CPU time of its process without children; 0 if unknown.
func runAlone(cmd *exec.Cmd) (time.Duration, error) {
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	var self time.Duration
	if awaitEnd(cmd.Process.Pid) == nil {
		self, _ = processCPU(cmd.Process.Pid)
	}
	return self, cmd.Wait()
}

// childrenOf returns the children of all threads; none if the kernel does not list them.
func childrenOf(pid int) (pids []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // the pattern is valid
	for _, list := range lists {
		text, _ := os.ReadFile(list) // a thread may have ended
		for _, field := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids
}
