package trigger

import (
	"strings"
	"testing"
	"time"

	"wf/trigger/webhook"
)

func TestParse(t *testing.T) {
	for line, want := range map[string]Trigger{
		"cron: */5 * * * *":   {Kind: Cron, Spec: "*/5 * * * *", Catchup: CatchupNone},
		"  every:10m ":        {Kind: Every, Spec: "10m", Catchup: CatchupNone},
		"cron: @daily tz=UTC": {Kind: Cron, Spec: "@daily", Zone: "UTC", Catchup: CatchupNone},
		"cron: 0 2 * * mon-fri tz=Europe/Berlin catchup=all catchup_window=2d jitter=5m limit=10/h": {Kind: Cron, Spec: "0 2 * * mon-fri",
			Zone: "Europe/Berlin", Catchup: CatchupAll, Window: 48 * time.Hour, Jitter: 5 * time.Minute, Limit: Limit{10, time.Hour}},
		"after: ../other.graphml":                 {Kind: After, Spec: "../other.graphml", Catchup: CatchupNone},
		"after: my  flow.wf done limit=1/h":       {Kind: After, Spec: "my flow.wf done", Catchup: CatchupNone, Limit: Limit{1, time.Hour}},
		"webhook: deploy":                         {Kind: Webhook, Spec: "deploy", Catchup: CatchupNone, Scheme: webhook.WF},
		"webhook:a-b_1 scheme=github limit=9/m":   {Kind: Webhook, Spec: "a-b_1", Catchup: CatchupNone, Scheme: webhook.GitHub, Limit: Limit{9, time.Minute}},
		"every: 1h30m limit=1/30m catchup=latest": {Kind: Every, Spec: "1h30m", Catchup: CatchupLatest, Limit: Limit{1, 30 * time.Minute}},
	} {
		if got, err := Parse(line); err != nil || got != want {
			t.Errorf("%q: got %+v, %v", line, got, err)
		}
	}
}

// TestMistakes checks that each message names the mistake and what to write.
func TestMistakes(t *testing.T) {
	for line, want := range map[string]string{
		"0 2 * * *":                               "write cron: 0 2 * * *",
		"after:":                                  "after needs a workfile",
		"after: failure":                          "write after: ../other.graphml failure",
		"after: x catchup=all":                    "catchup has no effect on after",
		"crom: 0 2 * * *":                         "did you mean cron?",
		"webhok: x":                               "did you mean webhook?",
		"webhook:":                                "write webhook: deploy",
		"webhook: Deploy":                         "write webhook: deploy",
		"webhook: a b":                            "write webhook: a-b",
		"webhook: a/b":                            "other characters than",
		"webhook: a scheme=githib":                "did you mean github?",
		"webhook: a scheme=x":                     "write scheme=wf, github,",
		"webhook: a jitter=1m":                    "jitter has no effect on webhook",
		"webhook: a catchup=all":                  "catchup has no effect on webhook",
		"every: 10m scheme=github":                "scheme has no effect on every, only on webhook",
		"after: x scheme=github":                  "scheme has no effect on after",
		"sometimes: 3":                            "write cron:",
		"every: 10":                               "write 10s, 10m or 10h",
		"every:":                                  "is not a duration",
		"every: 10ms":                             "less than 1s",
		"every: 400d":                             "more than",
		"cron: 0 25 * * *":                        "from 0 to 23",
		"cron: 0 2 * * * tz=Berlin":               `no time zone "Berlin" is known (write tz=Europe/Berlin)`,
		"cron: 0 2 * * * tz=../etc":               "no time zone",
		"cron: 0 2 * * * catchup=some":            "write catchup=none, latest or all",
		"cron: 0 2 * * * catchupp=all":            "did you mean catchup?",
		"cron: 0 2 * * * colour=red":              "there are batch, catchup, catchup_window, existing, jitter, limit, reopened, scheme, settle, tz",
		"cron: 0 2 * * * tz=UTC tz=UTC":           "tz is given twice",
		"cron: 0 2 * tz=UTC * *":                  "options are key=value and come last",
		"every: 10m tz=UTC":                       "tz has no effect on every",
		"every: 10m limit=10":                     "write limit=10/h",
		"every: 10m limit=0/h":                    "from 1 to 1000",
		"every: 10m jitter=-5m":                   "is negative",
		"every: 10m " + strings.Repeat("x", 1000): "at most 1000",
	} {
		if _, err := Parse(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", line, err, want)
		}
	}
}

func TestRead(t *testing.T) {
	lines := Read("n1", "# at night\n\n cron:  0 2 * * *\r\nevery: 10x\ncron: 0 2 * * *")
	if len(lines) != 3 || lines[0].Err != nil || lines[0].Text != "cron: 0 2 * * *" || lines[1].Err == nil {
		t.Fatalf("got %+v", lines)
	}
	if lines[0].ID() != lines[2].ID() || lines[0].ID() == lines[1].ID() || lines[0].ID() == (Line{Text: lines[0].Text}).ID() {
		t.Error("the identity of a trigger is its node and its text")
	}
	if many := Read("", strings.Repeat("every: 1s\n", 1000)); len(many) != mostLines+1 || many[mostLines].Err == nil {
		t.Errorf("%d lines were read", len(many))
	}
}

// FuzzParse checks that every line is refused or means the same when it is read again.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"cron: */5 * * * * tz=UTC", "every: 10m jitter=1s limit=10/h", "cron: 0 0 31 2 *", "file: x", "every: 1h =", "limit=1/h", "after: a b done limit=1/h", "file: in/[a-c]*/*.csv settle=1s batch=1", "webhook: a scheme=slack limit=1/h"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		got, err := Parse(line)
		if err != nil {
			return
		}
		again, err := Parse(strings.Join(strings.Fields(line), " "))
		if err != nil || again != got {
			t.Fatalf("%q: %+v, then %+v, %v", line, got, again, err)
		}
		s, err := got.Schedule(time.Unix(0, 0), time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		if at := time.Unix(1_800_000_000, 0); s != nil && !s.Next(at).After(at) {
			t.Fatalf("%q has no next instant", line)
		}
	})
}

func TestOther(t *testing.T) {
	for line, want := range map[string][2]string{"after: a.wf": {"a.wf", OnSuccess}, "after: a.wf failure": {"a.wf", OnFailure},
		"after: my flow done": {"my flow", OnDone}, "after: done done": {"done", OnDone}} {
		tr, err := Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		if path, end := tr.Other(); path != want[0] || end != want[1] {
			t.Errorf("%q: %q, %q", line, path, end)
		}
	}
}
