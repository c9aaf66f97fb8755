package doctor

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"wf/cmd/wf/exit"
	"wf/cmd/wf/settings"
	"wf/daemon"
	"wf/tui/plain"
	"wf/tui/words"
	"wf/workspace/fence"
)

// hostPatience limits how long doctor waits for another machine.
const hostPatience = 10 * time.Second

// A HostState is what wf finds on another machine.
type HostState struct {
	Version  string `json:"version"` // of wf there
	State    string `json:"state"`   // its state folder
	Writable bool   `json:"writable"`
}

// checkHosts asks all machines that have names, and the selected one, without questions to the user.
func (d *doctor) checkHosts(ctx context.Context) {
	h, err := settings.ReadHosts(d.c)
	if err != nil {
		d.failed("hosts", err)
		return
	}
	names := h.Names()
	used, where, err := settings.HostOf(d.c, h)
	switch {
	case err != nil:
		d.failed("hosts", err)
	case used != "" && h.Hosts[used] == "":
		if _, err := h.Resolve(used, where); err != nil {
			d.failed("hosts", err)
		} else {
			names = append(names, used)
		}
	}
	if d.host == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, hostPatience)
	defer cancel()
	states, errs := make([]HostState, len(names)), make([]error, len(names))
	var asked sync.WaitGroup
	for i, name := range names {
		asked.Go(func() { states[i], errs[i] = d.host(ctx, name) })
	}
	asked.Wait()
	for i, name := range names {
		d.hostFound(name, states[i], errs[i])
	}
}

// hostFound reports what was found on a machine.
func (d *doctor) hostFound(name string, s HostState, err error) {
	name = plain.Line(name)
	switch {
	case err != nil:
		f := exit.Describe(err)
		why, _, _ := strings.Cut(f.Why, "\n")
		d.problem("hosts", f.Fix, "%s: %s", name, f.What+separated(why))
	case !s.Writable:
		d.problem("hosts", "wf --host "+words.Quote(name)+" doctor", "%s: the state folder %s cannot be used", name, s.State)
	case s.Version != d.m.version:
		d.note("hosts", "wf host install "+words.Quote(name)+" copies this one", "%s: wf is version %s there, and %s here", name, s.Version, d.m.version)
	default:
		d.ok("hosts", "%s: wf %s, state in %s", name, s.Version, s.State)
	}
}

// separated returns ": text", or nothing without a text.
func separated(text string) string {
	if text == "" {
		return ""
	}
	return ": " + text
}

// checkFences finds out whether the workfile and the values of wf kv belong to another machine that shares the state folder.
func (d *doctor) checkFences() {
	if d.dirs.State == "" {
		return
	}
	own := fence.Holder{Machine: fence.This()}
	if path, err := daemon.FencePath(d.dirs.State, d.workfile); err == nil {
		if h, elsewhere := fence.HeldElsewhere(path, own); elsewhere {
			d.note("fence", "use it there: wf --host ssh://"+plain.Line(h.Host)+" …; if it is gone for good: wf server takeover "+words.Quote(d.workfile),
				"%s belongs to a daemon on %s (pid %d), which shares the state folder", filepath.Base(d.workfile), plain.Line(cmp.Or(h.Host, "another machine")), h.PID)
		}
	}
	if h, elsewhere := fence.HeldElsewhere(filepath.Join(d.dirs.State, daemon.FileKVFence), own); elsewhere {
		d.note("fence", "use them there: wf --host ssh://"+plain.Line(h.Host)+" …; if it is gone for good: wf server takeover --kv",
			"the values of wf kv belong to a daemon on %s (pid %d)", plain.Line(h.Host), h.PID)
	}
	if h, elsewhere := fence.HeldElsewhere(filepath.Join(d.dirs.State, daemon.FileTriggerFence), own); elsewhere {
		d.note("fence", "if it is gone for good: wf server takeover --triggers",
			"a daemon on %s (pid %d) starts the runs of triggers", plain.Line(h.Host), h.PID)
	}
}
