package workspace

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"

	"wf/api"
	"wf/workspace/history"
)

// TestUnstarted checks who is told about a run that could not begin: as the workfile, the request or the settings say, and the latest
// run if the workfile cannot be read.
func TestUnstarted(t *testing.T) {
	fail := errors.New("a parameter is missing")
	settings := "failure -> @settings"
	for name, c := range map[string]struct {
		rules string // of the workfile; "-" = none
		ran   map[string]int
		runs  bool // before
		gone  bool
		req   api.RunRequest
		again bool
		err   error
		want  []string
	}{
		"of the workfile":       {rules: "failure -&gt; @x", err: fail, want: []string{"@x failure failed"}},
		"not again":             {rules: "failure -&gt; @x", err: fail, again: true},
		"every one":             {rules: "every failure -&gt; @x", err: fail, again: true, want: []string{"@x failure failed"}},
		"after a failure":       {rules: "failure -&gt; @x", err: fail, runs: true, ran: map[string]int{"a": 1}},
		"after a success":       {rules: "failure -&gt; @x", err: fail, runs: true, want: []string{"@x failure failed"}},
		"another moment":        {rules: "success -&gt; @x", err: fail},
		"of the settings":       {rules: "-", err: fail, req: api.RunRequest{Defaults: &api.RunDefaults{Notify: &settings}}, want: []string{"@settings failure failed"}},
		"the workfile is gone":  {rules: "failure -&gt; @x", err: fail, runs: true, gone: true, want: []string{"@x failure failed"}},
		"others are active":     {rules: "failure -&gt; @x", err: &api.Error{Code: api.CodeConflict, Message: "busy"}},
		"the daemon is closing": {rules: "failure -&gt; @x", err: errClosed()},
	} {
		t.Run(name, func(t *testing.T) {
			b := newTestbed(t, "a")
			if c.rules != "-" {
				b.write(rulesText(c.rules, "a"))
			}
			w := b.open()
			if c.runs {
				v := b.watch()
				_, s := b.run(api.RunRequest{})
				b.play(v, s, c.ran)
			}
			b.close(w)
			if c.gone {
				if err := os.Remove(b.path); err != nil {
					t.Fatal(err)
				}
			}
			f := &fakeNotices{}
			if c.again {
				TellUnstarted(b.cfg.State, w.id, w.path, &fakeNotices{}, slog.New(slog.DiscardHandler), api.RunRequest{Key: "before"}, c.err)
			}
			c.req.Key, c.req.Env = "k", []string{"PATH=/bin", "SECRET=1"}
			for range 2 { // a repetition is the same message
				TellUnstarted(b.cfg.State, w.id, w.path, f, slog.New(slog.DiscardHandler), c.req, c.err)
			}
			if got := f.told(); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
			for _, m := range f.list {
				if n := m.Notification; n.Title != "Workfile did not start: a parameter is missing" || n.Run != "" || strings.Contains(n.Text, "resume") || !slices.Equal(m.Env, []string{"PATH=/bin"}) {
					t.Errorf("%+v %q", n, m.Env)
				}
			}
		})
	}
}

// TestRecoveredAfterUnstarted checks that a run which could not begin counts as a failure for the next one, and for no other.
func TestRecoveredAfterUnstarted(t *testing.T) {
	b := newTestbed(t, "a")
	f := &fakeNotices{}
	b.cfg.Notices = f
	b.write(rulesText("failure, recovered -&gt; @x", "a"))
	w := b.open()
	succeed := func() {
		v := b.watch()
		_, s := b.run(api.RunRequest{})
		b.play(v, s, nil)
	}
	succeed()
	for _, key := range []string{"k1", "k2"} { // the second one is no change
		TellUnstarted(b.cfg.State, w.id, w.path, f, slog.New(slog.DiscardHandler), api.RunRequest{Key: key}, errors.New("no disk"))
	}
	succeed()
	succeed()
	b.close(w)
	want := []string{"@x failure failed", "@x recovered succeeded"}
	if got := f.told(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestUnstartedWithoutHistory checks that a workfile that was never open gets no folder, and that nothing is logged.
func TestUnstartedWithoutHistory(t *testing.T) {
	b := newTestbed(t, "a")
	b.write(rulesText("failure -&gt; @x", "a"))
	f := &fakeNotices{}
	var said strings.Builder
	TellUnstarted(b.cfg.State, "never", b.path, f, slog.New(slog.NewTextHandler(&said, nil)), api.RunRequest{Key: "k"}, errors.New("no disk"))
	if got := f.told(); len(got) != 1 || said.Len() > 0 {
		t.Errorf("told %q, logged %s", got, said.String())
	}
	if _, err := os.Lstat(history.Folder(b.cfg.State, "never")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder exists: %v", err)
	}
}
