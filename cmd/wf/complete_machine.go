package main

import (
	"context"
	"io"
	"strings"
	"time"

	"wf/cmd/wf/settings"
	"wf/remote"
)

// machineCompletionTime limits how long the tab key waits for another machine.
const machineCompletionTime = 5 * time.Second

// completeMachine adds the names of machines.
func completeMachine(c *completion) {
	h, err := settings.ReadHosts(&c.e.Console)
	if err != nil {
		return
	}
	for _, name := range append(h.Names(), settings.LocalHost) {
		if strings.HasPrefix(name, c.word) {
			c.offers = append(c.offers, offer{name, h.Hosts[name]})
		}
	}
}

// machineOfTyped returns the machine on which a typed line will be executed, nil for this one, which also completes the names
// of machines and the files of the shell.
func machineOfTyped(e *env, typed typedText) *machine {
	n := len(typed.words)
	if typed.redirect || strings.HasPrefix(typed.word, "--host=") || n > 0 && typed.words[n-1] == "--host" {
		return nil
	}
	m, _, err := machineOf(e, typed.words)
	if err != nil {
		return nil
	}
	return m
}

// complete prints the completions of another machine. If anything fails, it prints nothing. It asks no questions.
func (m *machine) complete(args []string) {
	e := m.e
	ctx, cancel := context.WithTimeout(context.Background(), machineCompletionTime)
	defer cancel()
	opt, err := m.options()
	if err != nil {
		return
	}
	opt.Ask, opt.Note = nil, func(string) {}
	req := remote.Request{Args: args, Dir: m.Dir, In: remote.StreamPipe, Out: remote.StreamFile, Err: remote.StreamFile}
	t := remote.Terminal{Stdin: strings.NewReader(""), Stdout: e.Stdout, Stderr: io.Discard, Size: func() (rows, columns uint16) { return terminalSize(e) }}
	_, _ = remote.RunCommand(ctx, opt, req, t)
}
