package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/cmd/wf/doctor"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/settings"
	"wf/remote"
	"wf/tui/plain"
	"wf/tui/words"
)

// hostTime limits how long wf ls --all-hosts waits for a machine.
const hostTime = 10 * time.Second

// hostStatus is the daemon of a machine in wf ls --all-hosts.
type hostStatus struct {
	Host   string            `json:"host"`
	Server *api.ServerStatus `json:"server,omitempty"` // nil if no daemon runs there
	Error  string            `json:"error,omitempty"`  // why the machine could not be asked

	err error
}

// hostStatuses is wf ls --all-hosts --json.
type hostStatuses struct {
	Schema string       `json:"schema"`
	Hosts  []hostStatus `json:"hosts"`
}

// listAllHosts prints the open workfiles and active runs of this machine and of all that have names.
func listAllHosts(ctx context.Context, e *env, asJSON bool) error {
	h, err := settings.ReadHosts(&e.Console)
	if err != nil {
		return err
	}
	names := append([]string{settings.LocalHost}, h.Names()...)
	report := hostStatuses{Schema: api.SchemaHostList, Hosts: make([]hostStatus, len(names))}
	var asked sync.WaitGroup
	var questions sync.Mutex // one machine asks for a password at a time
	for i, name := range names {
		asked.Go(func() {
			e.Guard(func() { report.Hosts[i] = machineStatus(ctx, e, h, name, &questions) })
		})
	}
	asked.Wait()
	if asJSON {
		if err := console.WriteJSON(e.Stdout, report); err != nil {
			return err
		}
	}
	failed := false
	for _, s := range report.Hosts {
		failed = failed || s.err != nil
		switch {
		case asJSON:
		case s.err != nil:
			fmt.Fprintf(e.Stdout, "%s  %s\n", s.Host, plain.Line(s.Error))
		case s.Server == nil || len(s.Server.Workspaces) == 0:
			fmt.Fprintf(e.Stdout, "%s  no workfile is open\n", s.Host)
		default:
			fmt.Fprintf(e.Stdout, "%s  %s\n", s.Host, slotsText(*s.Server))
			if err := printWorkspaces(e.Stdout, s.Server.Workspaces, time.Now()); err != nil {
				return err
			}
		}
	}
	if failed {
		return exit.With(exit.Daemon)
	}
	return nil
}

// machineStatus asks the daemon of a machine for its status.
func machineStatus(ctx context.Context, e *env, h settings.Hosts, name string, questions *sync.Mutex) hostStatus {
	s := hostStatus{Host: name}
	ctx, cancel := context.WithTimeout(ctx, hostTime)
	defer cancel()
	if name == settings.LocalHost {
		s.Server, s.err = ownStatus(ctx, e)
	} else if d, err := h.Resolve(name, ""); err != nil {
		s.err = err
	} else {
		s.Server, s.err = (&machine{d, name, false, e}).status(ctx, questions)
	}
	if s.err != nil {
		f := exit.Describe(s.err)
		s.Error = f.What
		if f.Why != "" {
			s.Error += ": " + f.Why
		}
	}
	return s
}

// ownStatus returns the status of the daemon of this machine, nil if none runs.
func ownStatus(ctx context.Context, e *env) (*api.ServerStatus, error) {
	c, running, err := e.reach(ctx)
	if err != nil || !running {
		return nil, err
	}
	defer c.Close()
	status, err := c.Server(ctx)
	return &status, err
}

// status returns the status of the daemon of another machine, nil if none runs.
func (m *machine) status(ctx context.Context, questions *sync.Mutex) (*api.ServerStatus, error) {
	opt, err := m.options()
	if err != nil {
		return nil, err
	}
	if ask := opt.Ask; ask != nil {
		opt.Ask = func(prompt string, secret bool) (string, error) {
			questions.Lock()
			defer questions.Unlock()
			return ask(prompt, secret)
		}
	}
	out, messages, status, err := m.collect(ctx, opt, "server", "status", "--json")
	switch {
	case err != nil:
		return nil, err
	case status == exit.Daemon && strings.Contains(messages, "no daemon is running"):
		return nil, nil
	case status != 0:
		return nil, errors.New(strings.TrimSpace(messages))
	}
	var s api.ServerStatus
	err = json.Unmarshal(out, &s)
	return &s, err
}

// collect executes a command on another machine, without standard input, and returns what it prints.
func (m *machine) collect(ctx context.Context, opt remote.Options, args ...string) (out []byte, messages string, status int, err error) {
	var stdout, stderr bytes.Buffer
	req := remote.Request{Args: args, In: remote.StreamPipe, Out: remote.StreamFile, Err: remote.StreamFile}
	began := time.Now()
	status, err = remote.RunCommand(ctx, opt, req, remote.Terminal{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
		Size: func() (rows, columns uint16) { return terminalSize(m.e) }})
	if err != nil && ctx.Err() != nil {
		return nil, "", 0, &exit.Failure{Status: exit.Daemon, What: fmt.Sprintf("no answer within %v", time.Since(began).Round(time.Second)), Fix: "try it: " + m.sshCommand()}
	}
	return stdout.Bytes(), stderr.String(), status, m.explain(err)
}

// hostChecker returns how wf doctor asks a machine, nil if this command was called from another one.
func hostChecker(e *env) func(ctx context.Context, name string) (doctor.HostState, error) {
	if e.Remote {
		return nil
	}
	return func(ctx context.Context, name string) (s doctor.HostState, err error) {
		m, err := namedMachine(e, []string{name})
		if err != nil {
			return s, err
		}
		opt, err := m.options()
		if err != nil {
			return s, err
		}
		opt.Ask, opt.Note = nil, func(string) {}
		out, messages, status, err := m.collect(ctx, opt, "server", hostStateCommand)
		if err == nil && status != 0 {
			err = &exit.Failure{What: "wf there cannot answer: it is of another version", Why: lastMatch(messages, func(line string) bool { return strings.HasPrefix(line, "error:") }),
				Fix: "wf host install " + words.Quote(name)}
		}
		if err == nil {
			err = json.Unmarshal(out, &s)
		}
		return s, err
	}
}
