package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"wf/api"
	"wf/executor"
	"wf/notify"
)

// fakeNotices keeps what a workspace tells.
type fakeNotices struct {
	mu   sync.Mutex
	list []notify.Message
	ids  map[string]int // how often each was stored
	fail error
}

func (f *fakeNotices) Put(m notify.Message) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fail != nil {
		return f.fail
	}
	if f.ids == nil {
		f.ids = map[string]int{}
	}
	if f.ids[m.ID()]++; f.ids[m.ID()] == 1 {
		f.list = append(f.list, m)
	}
	return nil
}

// told returns the events and results of the messages.
func (f *fakeNotices) told() (list []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.list {
		list = append(list, strings.TrimSpace(m.To+" "+string(m.Notification.Event)+" "+string(m.Notification.Result)))
	}
	slices.Sort(list) // helpers store them
	return list
}

func (f *fakeNotices) wait(t *testing.T, want ...string) {
	t.Helper()
	waitFor(t, strings.Join(want, ", "), func() bool { return slices.Equal(f.told(), want) })
}

// rulesText is a workfile that tells about its runs.
func rulesText(rules string, edges ...string) string {
	text := strings.Replace(workfileText(edges...), "<graph ", `<key id="notify" for="graph" attr.name="notify" attr.type="string"/><graph `, 1)
	return strings.Replace(text, `edgedefault="directed">`, `edgedefault="directed"><data key="notify">`+rules+"</data>", 1)
}

// TestNotices follows the results of some runs. A message about the end is stored before the end is announced.
func TestNotices(t *testing.T) {
	b := newTestbed(t)
	b.write(rulesText("@default\nevery failure, success, started -&gt; @all", "a>b"))
	f := &fakeNotices{}
	b.cfg.Notices = f
	b.open()
	for i, c := range []struct {
		fails map[string]int
		want  []string
	}{
		{nil, []string{"@all started", "@all success succeeded"}},
		{map[string]int{"a": 3}, []string{"@all failure failed", "@all started", "@default failure failed"}},
		{map[string]int{"b": 3}, []string{"@all failure failed", "@all started"}},
		{nil, []string{"@all recovered succeeded", "@all started", "@default recovered succeeded"}},
	} {
		f.list = nil
		v := b.watch()
		_, s := b.run(api.RunRequest{Mode: api.ModeFresh})
		b.play(v, s, c.fails)
		f.mu.Lock()
		ends := slices.ContainsFunc(f.list, func(m notify.Message) bool { return m.Notification.Result != "" })
		f.mu.Unlock()
		if !ends {
			t.Errorf("run %d: its end was announced before its message was stored", i+1)
		}
		f.wait(t, c.want...)
		for _, m := range f.list {
			if n := m.Notification; n.Event == api.NotifyFailure && (n.Failed == nil || c.fails[strings.TrimPrefix(n.Failed.Name, "id-")] == 0 || n.Counts.Failed != 1) {
				t.Errorf("run %d: %+v", i+1, n)
			}
			if !slices.Equal(m.Env, []string{"PATH=/bin"}) || m.Dir != filepath.Dir(b.w.path) {
				t.Errorf("run %d: %+v", i+1, m)
			}
		}
	}
}

// TestNoticesThatCannotBeStored checks that a run ends as usual.
func TestNoticesThatCannotBeStored(t *testing.T) {
	b := newTestbed(t)
	b.write(rulesText("started, done -&gt; @x", "a"))
	b.cfg.Notices = &fakeNotices{fail: errors.New("the disk is full")}
	b.open()
	v := b.watch()
	_, s := b.run(api.RunRequest{})
	b.play(v, s, map[string]int{"a": 1})
	if info := b.w.presence.Info(); info.LastRun == nil || info.LastRun.Result != api.ResFailed {
		t.Errorf("%+v", info.LastRun)
	}
}

// TestNoticesOfARestart checks that the next daemon tells the rest, and gives the same IDs to what it tells again: also if the
// executor is gone, or the run cannot be taken up.
func TestNoticesOfARestart(t *testing.T) {
	for name, c := range map[string]struct {
		between func(b *testbed)
		after   func(b *testbed, s *fakeSession, id executor.ID)
	}{
		"goes on": {func(*testbed) {}, func(b *testbed, s *fakeSession, id executor.ID) { s.end(id, executor.Exit{Code: 2}) }},
		"executor is gone": {func(b *testbed) { b.fake.refuse(errors.New("gone")) }, func(b *testbed, s *fakeSession, _ executor.ID) {
			if _, err := s.Close(b.t.Context()); err != nil {
				b.t.Fatal(err)
			}
		}},
		"no request": {func(b *testbed) {
			if err := os.Remove(filepath.Join(b.cfg.State, "workspaces", b.w.id, "runs", "1", "workfile")); err != nil {
				b.t.Fatal(err)
			}
		}, func(*testbed, *fakeSession, executor.ID) {}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newTestbed(t)
			b.write(rulesText("started, failure -&gt; @x", "a"))
			f := &fakeNotices{}
			b.cfg.Notices = f
			b.open()
			_, s := b.run(api.RunRequest{})
			id := b.next(s).ID
			f.wait(t, "@x started")
			b.close(b.w)
			c.between(b)
			b.open()
			c.after(b, s, id)
			f.wait(t, "@x failure failed", "@x started")
		})
	}
}

// TestWhoIsTold checks the order of precedence: request, workfile, settings; and that an inner run uses only its workfile.
func TestWhoIsTold(t *testing.T) {
	lines := func(text string) *string { return &text }
	for _, c := range []struct {
		attr string // "-" for none
		req  api.RunRequest
		want string
	}{
		{"-", api.RunRequest{}, ""},
		{"-", api.RunRequest{Defaults: &api.RunDefaults{Notify: lines("done -> @d")}}, "@d"},
		{"done -&gt; @w", api.RunRequest{Defaults: &api.RunDefaults{Notify: lines("done -> @d")}}, "@w"},
		{"", api.RunRequest{Defaults: &api.RunDefaults{Notify: lines("done -> @d")}}, ""},
		{"done -&gt; @w", api.RunRequest{Notify: lines("done -> @r")}, "@r"},
		{"done -&gt; @w", api.RunRequest{Notify: lines("")}, ""},
	} {
		b := newTestbed(t)
		b.write(rulesText(c.attr, "a"))
		if c.attr == "-" {
			b.write(workfileText("a"))
		}
		f := &fakeNotices{}
		b.cfg.Notices = f
		b.open()
		v := b.watch()
		_, s := b.run(c.req)
		b.play(v, s, nil)
		want := []string{}
		if c.want != "" {
			want = append(want, c.want+" success succeeded")
		}
		if got := f.told(); !slices.Equal(got, want) {
			t.Errorf("%q, %+v: %v", c.attr, c.req, got)
		}
	}
}
