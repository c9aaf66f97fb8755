package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"wf/cmd/wf/exit"
	"wf/cmd/wf/settings"
	"wf/daemon"
	"wf/tui/plain"
	"wf/workspace/fence"
)

// takeoverOptions are the flags of takeover.
type takeoverOptions struct {
	file         string
	kv, triggers bool
	yes          bool
}

func newServerTakeover(e *env) *cobra.Command {
	o := &takeoverOptions{}
	cmd := &cobra.Command{
		Use:   "takeover [FILE]",
		Short: "Take a workfile over from a machine that is gone for good",
		Long: `Machines can share the state folder, such as the login nodes of a cluster. A workfile then belongs to
the machine on which its runs were started, until they have ended: use it there, or from here with
wf --host. If that machine ended without finishing its runs, any wf command on it, after its next
boot, finds them again. Takeover is for a machine that never comes back.

Takeover refuses if the other daemon holds its lock or gives a sign of life, for which it watches half
a minute if the file system is shared. But a machine that is only cut off from the file system looks the
same as one that is gone. So takeover asks first. Then the next command here recovers the runs as after a
power cut: commands that were running are reported as lost, and are not executed again unless they are
idempotent. If the other machine still lives, its commands run on, and its daemon gives the workfile
up as soon as it sees the takeover. --kv takes over the values of wf kv in place of a workfile,
--triggers the enabled triggers, whose runs then start here.`,
		Example: `  wf server takeover align.graphml
  wf server takeover --kv --yes`,
		Args: nargs(0, 1),
	}
	cmd.RunE = onFile(e, &o.file, func(ctx context.Context, e *env) error { return o.takeOver(ctx, e) })
	fileFlag(cmd, &o.file, "f")
	cmd.Flags().BoolVar(&o.kv, "kv", false, "take over the values of wf kv")
	cmd.Flags().BoolVar(&o.triggers, "triggers", false, "take over the enabled triggers")
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	return cmd
}

func (o *takeoverOptions) takeOver(ctx context.Context, e *env) error {
	if err := e.needDaemon(""); err != nil {
		return err
	}
	path, what, err := o.fence(e)
	if err != nil {
		return err
	}
	found, err := fence.FindAbandoned(path, fence.Holder{Machine: fence.This()})
	var taken *fence.TakenError
	switch {
	case errors.As(err, &taken):
		return notAbandoned(taken.Holder, what)
	case err != nil:
		return err
	case found == nil:
		fmt.Fprintf(e.Stderr, "nothing to take over: %s %s to no other machine\n", what, o.verb("belongs", "belong"))
		return nil
	}
	if err := o.check(ctx, e, found, what); err != nil {
		found.Close()
		return err
	}
	if err := found.Clear(); err != nil {
		return err
	}
	auditTakeover(e, what, found.Holder.Host, o.shared())
	fmt.Fprintf(e.Stderr, "took over %s from %s\n", what, plain.Line(found.Holder.Host))
	return nil
}

// fence returns the path of the fence, and what it protects.
func (o *takeoverOptions) fence(e *env) (path, what string, err error) {
	state := settings.FoldersOf(&e.Console).State
	switch {
	case o.shared() && o.file != "", o.kv && o.triggers:
		return "", "", exit.Usage("--kv, --triggers and a workfile cannot be combined")
	case o.kv:
		return filepath.Join(state, daemon.FileKVFence), "the values of wf kv", nil
	case o.triggers:
		return filepath.Join(state, daemon.FileTriggerFence), "the enabled triggers", nil
	}
	file, err := e.workfile(o.file)
	if err != nil {
		return "", "", err
	}
	path, err = daemon.FencePath(state, file)
	return path, plain.Line(e.rel(file)), err
}

// shared reports whether it is about something of all workfiles.
func (o *takeoverOptions) shared() bool { return o.kv || o.triggers }

func (o *takeoverOptions) verb(one, many string) string {
	if o.shared() {
		return many
	}
	return one
}

// notAbandoned returns the error for a fence whose holder is alive.
func notAbandoned(h fence.Holder, what string) error {
	if h.Host == fence.This().Host || h.PID == 0 {
		return &exit.Failure{Status: exit.Busy, What: "a daemon on this machine has " + what + " open", Why: "there is nothing to take over"}
	}
	host := plain.Line(h.Host)
	return &exit.Failure{Status: exit.Busy, What: fmt.Sprintf("%s is alive: its daemon (pid %d) has %s open", host, h.PID, what),
		Why: "nothing was taken over", Fix: "use it there: wf --host ssh://" + host + " …"}
}

// check watches for signs of life and asks the user.
func (o *takeoverOptions) check(ctx context.Context, e *env, found *fence.Abandoned, what string) error {
	host := plain.Line(found.Holder.Host)
	if !o.yes && !e.Interactive() {
		return &exit.Failure{Status: exit.BadUsage, What: fmt.Sprintf("cannot ask whether to take %s over from %s", what, host),
			Why: "nothing was taken over", Fix: "if " + host + " is gone for good: the same with --yes"}
	}
	fmt.Fprintf(e.Stderr, "%s %s to pid %d on %s\n", what, o.verb("belongs", "belong"), found.Holder.PID, host)
	if found.GivesSigns() {
		fmt.Fprintf(e.Stderr, "watching for a sign of life from %s, up to %v …\n", host, found.WatchTime())
		switch alive, err := found.Alive(ctx); {
		case err != nil:
			return err
		case alive:
			return notAbandoned(found.Holder, what)
		}
		fmt.Fprintln(e.Stderr, "there was none")
	}
	if o.yes {
		return nil
	}
	return e.confirm(fmt.Sprintf("Is %s gone for good? If not, two machines write the same files. Take over? [y/N] ", host), "nothing was taken over")
}
