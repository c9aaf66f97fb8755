package notify

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"wf/api"
	"wf/tui/plain"
)

// with returns a notification about an event.
func with(event api.NotifyEvent, change func(*api.Notification)) api.Notification {
	started := time.Date(2026, 1, 31, 2, 0, 0, 0, time.UTC)
	n := api.Notification{Event: event, Workfile: "/data/my night.wf", Run: "41", Host: "box", User: "ann", Started: &started, DurationMS: 724_000,
		Counts: &api.Counts{OK: 12, Failed: 1, Blocked: 3}}
	change(&n)
	Complete(&n)
	return n
}

func none(*api.Notification) {}

func TestTexts(t *testing.T) {
	time.Local = time.UTC // texts have local times
	until := time.Date(2026, 1, 31, 3, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		n    api.Notification
		want string
	}{
		{with(api.NotifyFailure, func(n *api.Notification) {
			n.Failed = &api.NotifiedNode{Node: "n1", Name: "align it", Reason: api.ReasonExit, ExitCode: new(3), Lines: []string{"no space", "left"}}
		}), `my night.wf failed: align it (exit 3)

workfile: /data/my night.wf
run:      41, started 2026-01-31 02:00:00 +0000, 12m04s
by:       ann on box
nodes:    12 ok, 1 failed, 3 blocked

align it: exit 3
Its last lines:
  no space
  left

resume:   wf resume '/data/my night.wf'
output:   wf logs --file '/data/my night.wf' --run 41 'align it'
`},
		{with(api.NotifyWaiting, func(n *api.Notification) {
			n.Counts = nil
			n.Question = &api.NotifiedQuestion{Node: "deploy", Name: "deploy", Text: "Publish\nversion 2?", Cases: []string{"yes", "later"}, Until: &until, Default: "reject"}
		}), `my night.wf waits for a person: Publish version 2?

workfile: /data/my night.wf
run:      41, started 2026-01-31 02:00:00 +0000, 12m04s
by:       ann on box

deploy asks:
  Publish
  version 2?
The answer is one of: yes, later
Without an answer it is rejected at 2026-01-31 03:00:00 +0000.

approve:  wf approve --file '/data/my night.wf' --run 41 --set case=yes deploy
reject:   wf reject --file '/data/my night.wf' --run 41 deploy
`},
		{with(api.NotifyTest, none), "my night.wf sends a test\n\nThis is a test, sent by wf notify test on box.\nNotifications about runs come to this place, too.\n"},
	} {
		if c.n.Text != c.want {
			t.Errorf("got\n%s\nwant\n%s", c.n.Text, c.want)
		}
	}
}

func TestTitles(t *testing.T) {
	for want, n := range map[string]api.Notification{
		"my night.wf succeeded":                                with(api.NotifySuccess, none),
		"my night.wf succeeds again":                           with(api.NotifyRecovered, none),
		"my night.wf has started":                              with(api.NotifyStarted, none),
		"my night.wf has run for 12m04s":                       with(api.NotifyLonger, none),
		"my night.wf was stopped: SIGINT":                      with(api.NotifyDone, func(n *api.Notification) { n.Cause = "SIGINT" }),
		"my night.wf failed: its time limit has passed":        with(api.NotifyFailure, func(n *api.Notification) { n.Cause = "timeout" }),
		"my night.wf failed: nobody could approve":             with(api.NotifyFailure, func(n *api.Notification) { n.Cause = "approval" }),
		"my night.wf was stopped: a newer run takes its place": with(api.NotifyDone, func(n *api.Notification) { n.Cause = api.CauseReplaced }),
	} {
		if n.Title != want || !strings.HasPrefix(n.Text, want+"\n") {
			t.Errorf("%q, want %q", n.Title, want)
		}
	}
}

func TestLines(t *testing.T) {
	for _, c := range []struct {
		out, err, want string
	}{
		{"", "", ""}, {"\n\n", "", ""},
		{"a\nb\n", "", "a|b"},
		{"10%\r20%\r30%\r\nend", "", "30%|end"},
		{"\x1b[31mred\x1b[0m\x1b]0;title\x07\n", "", "red"},
		{"out", "err", "out|err"},
		{strings.Repeat("o\n", 20), strings.Repeat("e\n", 10), "o|o|" + strings.TrimSuffix(strings.Repeat("e|", 10), "|")},
		{"o\n", strings.Repeat("e\n", 20), strings.TrimSuffix(strings.Repeat("e|", 12), "|")},
		{strings.Repeat("x", 1000), "", strings.Repeat("x", mostOutLine) + "…"},
	} {
		if got := strings.Join(Lines([]byte(c.out), []byte(c.err)), "|"); got != c.want {
			t.Errorf("%.30q, %.30q: %q, want %q", c.out, c.err, got, c.want)
		}
	}
}

// TestForeignTexts checks that no text of a workfile, a command or a person brings control characters or endless texts into a
// notification.
func TestForeignTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := func(name string) string {
			return strings.Repeat(rapid.StringOf(rapid.SampledFrom([]rune("a \n\r\t\x00\x1b\x07\u202eé<&'[31m"))).Draw(t, name), rapid.SampledFrom([]int{1, 1000}).Draw(t, name+" times"))
		}
		n := api.Notification{Event: rapid.SampledFrom([]api.NotifyEvent{api.NotifyFailure, api.NotifyWaiting, api.NotifyDone, api.NotifyTest}).Draw(t, "event"),
			Workfile: "/w/" + text("file"), Run: "1", Host: text("host"), User: text("user"), Cause: text("cause"),
			Failed:   &api.NotifiedNode{Name: text("node"), Reason: api.ReasonExit, Message: text("message"), Lines: Lines([]byte(text("output")))},
			Question: &api.NotifiedQuestion{Node: text("id"), Name: text("name"), Text: text("question"), Cases: []string{text("case")}}}
		Complete(&n)
		if len(n.Title) > mostTitle+len("…") || strings.Contains(n.Title, "\n") {
			t.Fatalf("%q", n.Title)
		}
		for _, r := range n.Title + n.Text {
			if !plain.IsText(r) {
				t.Fatalf("%q in %q", r, n.Text)
			}
		}
	})
}

func TestID(t *testing.T) {
	seen := map[string]string{}
	for _, to := range []Destination{{Kind: Desktop}, {Mail, "a@b"}} {
		for _, parts := range [][]string{{"w/1", "end"}, {"w/2", "end"}, {"w/1", "waiting", "n"}, {"w/1 waiting", "n"}} {
			id, what := ID(to, parts...), fmt.Sprint(to, parts)
			if seen[id] != "" || id != ID(to, parts...) || len(id) != 24 {
				t.Errorf("%s and %s have the ID %s", what, seen[id], id)
			}
			seen[id] = what
		}
	}
}
