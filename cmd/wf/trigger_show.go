package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"wf/api"
	"wf/client"
	"wf/cmd/wf/console"
	"wf/tui/plain"
	"wf/tui/words"
)

func printTriggers(e *env, w api.TriggerWorkfile) {
	state := "enabled"
	if w.User != "" {
		state += " by " + plain.Line(w.User)
	}
	switch {
	case !w.Armed:
		state = "not enabled: wf trigger enable" + e.fileFix(w.Workfile)
	case w.Changed:
		state = "changed, and starts no runs: wf trigger enable" + e.fileFix(w.Workfile)
	}
	fmt.Fprintf(e.Stdout, "%s  %s\n", plain.Line(e.rel(w.Workfile)), state)
	var t console.Table
	for _, tr := range w.Triggers {
		what := plain.Line(tr.On)
		if tr.Name != "" {
			what = plain.Line(tr.Name) + ": " + what
		}
		next := ""
		switch {
		case tr.Problem != "":
			next = plain.Line(tr.Problem)
		case w.Armed && tr.State != api.TriggerArmed:
			next = map[string]string{api.TriggerNew: "new, not enabled", api.TriggerGone: "no longer in the file"}[tr.State]
		case len(tr.Next) > 0:
			next = "next " + instantText(tr.Next[0], tr.Zone)
		case tr.Webhook != nil:
			next = webhookText(tr.Webhook)
		case tr.Files != nil:
			next = filesText(tr)
		}
		last := ""
		if tr.Last != nil {
			last = "last " + fireText(*tr.Last)
		}
		t.Row("  "+what, next, last)
	}
	_ = t.Write(e.Stdout) // as after every other print: the next one fails, too
	if w.Problem != "" {
		fmt.Fprintf(e.Stdout, "  %s\n", plain.Line(w.Problem))
	}
}

func printNext(e *env, w api.TriggerWorkfile, now time.Time) error {
	if len(w.Triggers) == 0 {
		fmt.Fprintln(e.Stderr, "the workfile has no triggers (wf help triggers)")
	}
	for _, t := range w.Triggers {
		what := plain.Line(t.On)
		if t.Name != "" {
			what = plain.Line(t.Name) + ": " + what
		}
		if t.State != api.TriggerArmed {
			what += "  (not enabled)"
		}
		fmt.Fprintln(e.Stdout, what)
		if t.Problem != "" {
			fmt.Fprintf(e.Stdout, "  %s\n", plain.Line(t.Problem))
		}
		if t.Webhook != nil {
			fmt.Fprintf(e.Stdout, "  when a delivery arrives: %s\n", webhookText(t.Webhook))
		}
		if err := printInstants(e.Stdout, t, now); err != nil {
			return err
		}
		if t.Files != nil && t.Problem == "" {
			fmt.Fprintf(e.Stdout, "  waits for files in %s: %s\n", plain.Line(e.rel(t.Files.Folder)), filesText(t))
		}
		if t.DelayMS > 0 {
			fmt.Fprintf(e.Stdout, "  each run starts %s later (jitter)\n", words.Span(time.Duration(t.DelayMS)*time.Millisecond))
		}
	}
	return nil
}

// filesText says what a trigger that waits for files sees.
func filesText(t api.Trigger) string {
	f := t.Files
	text := words.Plural(f.Match, "file") + " now"
	if t.State == api.TriggerArmed && f.New > 0 {
		text += fmt.Sprintf(", %d of them new", f.New)
	}
	if f.Problem != "" {
		text += " (" + plain.Line(f.Problem) + ")"
	} else if f.Polled {
		text += " (its file system reports no changes: looked at from time to time)"
	}
	return text
}

// someFiles names the files of a run.
func someFiles(f api.TriggerFire) string {
	few := f.Files[:min(len(f.Files), 3)]
	text := strings.Join(few, ", ")
	if more := f.FileCount - len(few); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// printInstants prints the next instants of a trigger in its zone and in that of the terminal, or once if these are equal.
func printInstants(w io.Writer, t api.Trigger, now time.Time) error {
	var both, one console.Table
	same := true
	for _, text := range t.Next {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return fmt.Errorf("the daemon sent the instant %q: %w", text, err)
		}
		own, here, left := instantText(text, t.Zone), at.Local().Format(instantLayout), "in "+words.Span(at.Sub(now))
		same = same && own == here
		both.Row("  "+own, here, left)
		one.Row("  "+own, left)
	}
	if same {
		return one.Write(w)
	}
	return both.Write(w)
}

// instantLayout shows an instant with its weekday and zone.
const instantLayout = "Mon 2006-01-02 15:04:05 MST"

// instantText shows an instant of the daemon in a zone.
func instantText(text, zone string) string {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return plain.Line(text)
	}
	if loc, err := time.LoadLocation(zone); err == nil {
		at = at.In(loc)
	}
	return at.Format(instantLayout)
}

// localTime shows an instant in the zone of the terminal.
func localTime(text string) string {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return plain.Line(text)
	}
	return at.Local().Format(time.DateTime)
}

// fireText says what came of an instant.
func fireText(f api.TriggerFire) string {
	text := f.Result
	switch f.Result {
	case api.FireStarting:
		if f.Why != "" {
			text = "waits: " + f.Why
		}
	case api.FireStarted:
		text = "run " + f.Run
	case api.FireQueued:
		text = "queued as " + f.Run
	case api.FireSkipped:
		what := "instant"
		if strings.HasPrefix(f.On, "file:") {
			what = "file"
		}
		text = fmt.Sprintf("%s skipped: %s", words.Plural(f.Count, what), f.Why)
	case api.FireRefused:
		text = "refused: " + f.Why
	case api.FireRejected:
		text = fmt.Sprintf("%s rejected since then: %s", words.Plural(f.Count, "request"), f.Why)
	}
	if f.Late {
		text += " (late)"
	}
	if f.FileCount > 0 {
		text += fmt.Sprintf(" (%s: %s)", words.Plural(f.FileCount, "file"), someFiles(f))
	}
	if f.ByHand {
		text += " (wf trigger fire)"
	}
	return plain.Line(text)
}

// noteArmed says how many workfiles have triggers that start no runs without a daemon.
func noteArmed(ctx context.Context, e *env, c *client.Client) {
	if s, err := c.Server(ctx); err == nil && s.Armed > 0 {
		fmt.Fprintf(e.Stderr, "note: %s enabled triggers, which start no runs until a daemon runs again (wf server start)\n", workfilesHave(s.Armed))
	}
}

// workfilesHave returns "1 workfile has", "2 workfiles have".
func workfilesHave(n int) string {
	if n == 1 {
		return "1 workfile has"
	}
	return fmt.Sprintf("%d workfiles have", n)
}
