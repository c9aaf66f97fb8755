package main

import (
	"fmt"
	"sync"

	"wf/cmd/wf/exit"
)

// permission is whether secrets may be shown. The user is asked once.
type permission struct {
	mu    sync.Mutex // guards the fields below; it is held while the user is asked
	asked bool
	err   error
}

// permit asks before --raw shows the output of a run that has secrets.
func (o *logsOptions) permit(e *env, masked bool, what, run string) error {
	if !o.raw || !masked || o.yes {
		return nil
	}
	p := &o.permitted
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.asked:
	case e.ErrTTY && isTerminal(e.Stdin):
		p.err = e.confirm(fmt.Sprintf("Run %s has secrets, and --raw shows them in %s. Show them? [y/N] ", run, what), "nothing was shown")
	default:
		p.err = &exit.Failure{Status: exit.BadUsage, What: fmt.Sprintf("run %s has secrets, and --raw would show them in %s", run, what),
			Why: "nobody can be asked here", Fix: "without --raw they are hidden; --raw --yes shows them"}
	}
	p.asked = true
	return p.err
}
