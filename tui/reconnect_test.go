package tui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
)

// TestLooksForTheDaemonAgain: The model looks for a lost daemon with doubling waits up to a limit, never starts one
// by itself, and keeps the screen.
func TestLooksForTheDaemonAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := testModel(120, 30, small())
		m.clock = time.Now
		var asked []time.Duration
		started, begin := 0, time.Now()
		gone := &client.UnreachableError{Doing: "reach the daemon", Err: client.ErrNoDaemon}
		m.opt.Connect = func(_ context.Context, start bool, _ func(error), _ func(string)) (*client.Client, error) {
			asked = append(asked, time.Since(begin).Round(time.Second))
			if start {
				started++
			}
			return nil, gone
		}
		press(m, "down", "down")
		selected := m.doc.selectedNode().Name
		_, cmd := m.Update(news{m.link.feed, batch{ended: gone}})
		for len(asked) < 9 {
			if cmd == nil {
				t.Fatalf("after %v it looks no more", asked)
			}
			_, cmd = m.Update(await(t, cmd))
		}
		want := []time.Duration{1, 3, 7, 15, 31, 63, 123, 183, 243}
		for i, at := range asked {
			if at != want[i]*time.Second {
				t.Errorf("looked after %v, want %v", asked, want)
				break
			}
		}
		m.toast.clear()
		if got := frame(m); started != 0 || !strings.Contains(got, "no daemon, looks every 1m0s: C connects") || m.doc.selectedNode().Name != selected {
			t.Errorf("%d daemons were started, %s is selected:\n%s", started, m.doc.selectedNode().Name, got)
		}
		_, cmd = m.Update(keyPress("C"))
		for started == 0 {
			_, cmd = m.Update(await(t, cmd))
		}
		// The daemon is back: the model stops looking.
		back := &link{path: m.link.path, feed: newFeed()}
		m.Update(opened{asked: m.link, link: back})
		m.Update(news{back.feed, batch{snapshot: &api.Snapshot{Status: small()}}})
		m.toast.clear()
		if got := frame(m); !strings.Contains(got, "● live") || m.link.wait != 0 || m.doc.selectedNode().Name != selected {
			t.Errorf("connected again, with %s selected:\n%s", m.doc.selectedNode().Name, got)
		}
		n := len(asked)
		m.Update(retryConnection{&link{}})
		if len(asked) != n {
			t.Error("a look of before still looks")
		}
		m.close()
		time.Sleep(time.Hour) // of fake time: all waits end
	})
}

// TestRefusedConnectionIsNotRepeated: A daemon that answered and refused is not asked again.
func TestRefusedConnectionIsNotRepeated(t *testing.T) {
	m := testModel(120, 30, small())
	m.Update(news{m.link.feed, batch{ended: errors.New("no workfile")}})
	if got := frame(m); m.link.wait != 0 || !strings.Contains(got, "no daemon: C connects") {
		t.Errorf("it is looked for:\n%s", got)
	}
	m.Update(opened{asked: m.link, err: &api.Error{Message: "no workfile"}})
	if press(m, "R"); m.link.wait != 0 || m.toast.text != "there is no daemon: C connects" {
		t.Errorf("a run without a daemon says %q", m.toast.text)
	}
}

// await runs a command to the first message that the model can use, in the order in which they come.
func await(t *testing.T, cmd tea.Cmd) tea.Msg {
	t.Helper()
	found := make(chan tea.Msg, 8)
	var run func(tea.Cmd)
	run = func(cmd tea.Cmd) {
		switch msg := cmd().(type) {
		case tea.BatchMsg:
			for _, c := range msg {
				go run(c)
			}
		case retryConnection, opened:
			found <- msg
		}
	}
	go run(cmd)
	return <-found
}
