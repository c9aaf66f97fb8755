package main

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
)

// machine describes the conditions of a result besides the code; unknown fields are empty.
type machine struct {
	Commit string `json:"commit"`
	Dirty  bool   `json:"dirty,omitempty"` // the checkout had changes besides results
	CPU    string `json:"cpu,omitempty"`
	Cores  int    `json:"cores"`
	Kernel string `json:"kernel,omitempty"`
	OS     string `json:"os"`
	Go     string `json:"go"`
	Load   string `json:"load,omitempty"` // load average at the start
}

func describeMachine(ctx context.Context, root string) machine {
	m := machine{Cores: runtime.NumCPU(), OS: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version()}
	m.Commit = output(ctx, root, "git", "rev-parse", "--short=12", "HEAD")
	m.Dirty = output(ctx, root, "git", "status", "--porcelain", "--", ".", ":(exclude)bench/results.jsonl") != ""
	m.Kernel = output(ctx, root, "uname", "-sr")
	m.CPU = cpuModel()
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		m.Load = strings.Join(strings.Fields(string(load))[:3], " ")
	}
	return m
}

// output returns the output of a command, trimmed; "" if it fails.
func output(ctx context.Context, dir, name string, args ...string) string {
	out, err := in(dir, exec.CommandContext(ctx, name, args...)).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

var modelName = regexp.MustCompile(`(?m)^model name\s*:\s*(.*)$`)

func cpuModel() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	if m := modelName.FindSubmatch(info); m != nil {
		return string(m[1])
	}
	return ""
}
