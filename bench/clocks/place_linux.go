package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// interval is the time between two instants.
const interval = 10 * time.Second

// A place is a workfile with a policy, and a daemon of its own.
type place struct {
	policy string // of missed instants
	dir    string
	begin  time.Time // the beginning of the interval before the first instant
	down   bool      // no daemon runs
}

const workfile = `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="label" for="node" attr.name="label" attr.type="string"/>
  <key id="on" for="graph" attr.name="on" attr.type="string"/>
  <graph edgedefault="directed">
    <data key="on">every: %s catchup=%s</data>
    <node id="a"><data key="label">echo "$WF_TRIGGER_TIME" &gt;&gt; log</data></node>
  </graph>
</graphml>
`

// newPlace enables a workfile.
func newPlace(policy string) (*place, error) {
	p := &place{policy: policy, dir: filepath.Join("/tmp", policy)}
	for _, name := range []string{"run", "state"} {
		if err := os.MkdirAll(filepath.Join(p.dir, name), 0o700); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(filepath.Join(p.dir, "Workfile"), fmt.Appendf(nil, workfile, interval, policy), 0o600); err != nil {
		return nil, err
	}
	if _, err := p.wf("trigger", "enable", "--yes"); err != nil {
		return nil, err
	}
	records, err := p.ledger()
	if err != nil || len(records) == 0 || records[0].Op != "arm" {
		return nil, errors.Join(err, errors.New("the ledger does not begin with the trigger"))
	}
	p.begin = records[0].Instant
	return p, nil
}

func (p *place) wf(args ...string) (string, error) {
	cmd := exec.Command("wf", args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "WF_RUNTIME_DIR="+filepath.Join(p.dir, "run"), "WF_STATE_DIR="+filepath.Join(p.dir, "state"), "WF_KEEP_RUNS=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("wf %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return string(out), err
}

// kill kills the daemon.
func (p *place) kill() error {
	data, err := os.ReadFile(filepath.Join(p.dir, "run", "daemon.json"))
	if err != nil {
		return err
	}
	var reg struct{ PID int }
	if err := json.Unmarshal(data, &reg); err != nil {
		return err
	}
	p.down = true
	return syscall.Kill(reg.PID, syscall.SIGKILL)
}

// revive lets a command start a daemon.
func (p *place) revive() error {
	p.down = false
	_, err := p.wf("trigger", "ls")
	return err
}

// number returns which instant a time is, counted from 1. Instants that are no multiple of the interval have none.
func (p *place) number(at time.Time) (int, error) {
	since := at.Sub(p.begin)
	if since%interval != 0 {
		return 0, fmt.Errorf("%s: %v is no instant of the trigger", p.policy, at)
	}
	return int(since / interval), nil
}

// A record is a line of the ledger, as far as it matters here.
type record struct {
	Op      string
	Instant time.Time
	Key     string
	Error   string
	Count   int
}

// ledger returns what the daemon has written about its decisions.
func (p *place) ledger() (list []record, err error) {
	data, err := os.ReadFile(filepath.Join(p.dir, "state", "triggers", "ledger"))
	if err != nil {
		return nil, err
	}
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		var r record
		if json.Unmarshal(lines.Bytes(), &r) == nil { // a daemon that was killed can leave a part of a line
			list = append(list, r)
		}
	}
	return list, nil
}

// commands returns how often the command of each instant was executed, in the order of their first executions.
func (p *place) commands() (times map[int]int, order []int, err error) {
	data, err := os.ReadFile(filepath.Join(p.dir, "log"))
	if err != nil {
		return nil, nil, err
	}
	times = map[int]int{}
	for line := range strings.Lines(string(data)) {
		at, err := time.Parse(time.RFC3339, strings.TrimSpace(line))
		if err != nil {
			return nil, nil, fmt.Errorf("%s: the log has %s", p.policy, strconv.Quote(line))
		}
		n, err := p.number(at)
		if err != nil {
			return nil, nil, err
		}
		if times[n]++; times[n] == 1 {
			order = append(order, n)
		}
	}
	return times, order, nil
}
