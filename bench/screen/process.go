package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A reading contains the figures of a process in /proc at one time.
type reading struct {
	when     time.Time
	cpu      time.Duration // user and system, of all threads
	switches int64         // number of times that a thread went to sleep, and so woke up before
	rssKB    int64
	peakKB   int64
}

// read reads the figures of a process.
func read(pid int) (reading, error) {
	r := reading{when: time.Now()}
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	if err != nil || len(tasks) == 0 {
		return r, fmt.Errorf("process %d cannot be looked at: %w", pid, err)
	}
	for _, task := range tasks {
		// Nanoseconds on a processor, while stat rounds to ticks.
		text, err := os.ReadFile(task + "/schedstat")
		if err != nil {
			continue // the thread has ended
		}
		ns, err := strconv.ParseInt(strings.Fields(string(text))[0], 10, 64)
		if err != nil {
			return r, err
		}
		r.cpu += time.Duration(ns)
		n, err := field(task+"/status", "voluntary_ctxt_switches")
		if err != nil {
			return r, err
		}
		r.switches += n
	}
	if r.rssKB, err = field(fmt.Sprintf("/proc/%d/status", pid), "VmRSS"); err != nil {
		return r, err
	}
	r.peakKB, err = field(fmt.Sprintf("/proc/%d/status", pid), "VmHWM")
	return r, err
}

// field returns the number after a name in a status file.
func field(path, name string) (int64, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(text) {
		key, value, _ := strings.Cut(string(line), ":")
		if key == name {
			return strconv.ParseInt(strings.Fields(value)[0], 10, 64)
		}
	}
	return 0, fmt.Errorf("%s: no %s", path, name)
}

// since returns how much of one core a process used between two readings, in per cent.
func (r reading) since(before reading) float64 {
	return 100 * float64(r.cpu-before.cpu) / float64(r.when.Sub(before.when))
}

// wakes returns how often its threads woke up, per second.
func (r reading) wakes(before reading) float64 {
	return float64(r.switches-before.switches) / r.when.Sub(before.when).Seconds()
}
