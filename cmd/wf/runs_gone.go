package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"wf/api"
	"wf/client"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/tui/plain"
	"wf/tui/words"
)

// pruneGone lists the histories of workfiles that do not exist any more, and deletes them if the user agrees.
func (o *runsOptions) pruneGone(ctx context.Context, e *env, flags *pflag.FlagSet) error {
	for _, flag := range []string{"keep", "older", "size", "file"} {
		if flags.Changed(flag) {
			return exit.Usage("--gone cannot be combined with --%s", flag)
		}
	}
	return e.connected(ctx, func(c *client.Client) error { return o.removeGone(ctx, e, c) })
}

func (o *runsOptions) removeGone(ctx context.Context, e *env, c *client.Client) error {
	list, err := c.Gone(ctx, api.GoneRequest{})
	if err != nil {
		return err
	}
	var ids []string
	for _, h := range list.Histories {
		if h.Keep == "" {
			ids = append(ids, h.ID)
		}
	}
	if !o.json {
		if err := printGone(e, list); err != nil {
			return err
		}
	}
	if !o.dryRun && len(ids) > 0 {
		if err := o.confirmGone(e, len(ids)); err != nil {
			return err
		}
		if list, err = c.Gone(ctx, api.GoneRequest{Remove: ids}); err != nil {
			return err
		}
	}
	if o.json {
		return console.WriteJSON(e.Stdout, list)
	}
	verb, deleted := "deleted", 0
	for _, h := range list.Histories {
		if h.Removed || o.dryRun && h.Keep == "" {
			deleted++
		}
	}
	if o.dryRun {
		verb = "would delete"
	}
	fmt.Fprintf(e.Stderr, "%s the histories of %s\n", verb, words.Plural(deleted, "workfile"))
	return nil
}

// confirmGone asks whether to delete n histories, unless --yes was given.
func (o *runsOptions) confirmGone(e *env, n int) error {
	if o.yes {
		return nil
	}
	if !e.Interactive() || o.json {
		return &exit.Failure{Status: exit.BadUsage, What: "cannot ask whether to delete " + words.Plural(n, "history"),
			Why: "nothing was deleted", Fix: "wf runs prune --gone --yes"}
	}
	return e.confirm("Delete these histories, with all outputs? [y/N] ", "nothing was deleted")
}

// printGone prints the histories as a table.
func printGone(e *env, list api.GoneList) error {
	var t console.Table
	for _, h := range list.Histories {
		last := ""
		if h.LastRun != nil {
			last = "last run " + words.Ago(*h.LastRun, time.Now())
		}
		if h.Keep != "" {
			last += "  kept: " + plain.Line(h.Keep)
		}
		t.Row(plain.Line(h.Workfile), words.Plural(h.Runs, "run"), sizeText(h.Bytes), last)
	}
	return t.Write(e.Stdout)
}

// sizeText formats a number of bytes: 812 B, 1.5 MB.
func sizeText(bytes int64) string {
	size, units := float64(bytes), []string{"B", "kB", "MB", "GB", "TB"}
	i := 0
	for ; size >= 999.5 && i < len(units)-1; i++ {
		size /= 1000
	}
	if i == 0 || size >= 99.5 {
		return fmt.Sprintf("%.0f %s", size, units[i])
	}
	return fmt.Sprintf("%.1f %s", size, units[i])
}
