package trigger

import (
	"strings"
	"testing"
	"time"
)

func TestParseFile(t *testing.T) {
	plain := Files{Settle: DefaultSettle, Batch: DefaultBatch}
	for line, want := range map[string]Trigger{
		"file: incoming/*.csv":       {Spec: "incoming/*.csv", Files: plain},
		"file:in/my file ?.csv":      {Spec: "in/my file ?.csv", Files: plain},
		"file: in/date=*/[a-z].csv":  {Spec: "in/date=*/[a-z].csv", Files: plain},
		"file: ./date=*/x settle=1s": {Spec: "./date=*/x", Files: Files{Settle: time.Second, Batch: DefaultBatch}},
		"file: /in/x batch=1 settle=0s existing=yes reopened=yes limit=3/m": {Spec: "/in/x", Limit: Limit{3, time.Minute},
			Files: Files{Batch: 1, Existing: true, Reopened: true}},
	} {
		want.Kind, want.Catchup = File, CatchupNone
		if got, err := Parse(line); err != nil || got != want {
			t.Errorf("%q: got %+v, %v", line, got, err)
		}
	}
}

func TestMistakesOfFile(t *testing.T) {
	for line, want := range map[string]string{
		"file:":                       "write file: incoming/*.csv",
		"file: settle=1s":             "write file: incoming/*.csv",
		"file: in/":                   "write in/* for the files in it",
		"file: ..":                    "write ../* for the files in it",
		"file: ~/in/*":                "~ is not replaced",
		"file: in/**/*.csv":           "write a line for each depth",
		"file: in/[a":                 "has no matching ]",
		"file: x tz=UTC":              "tz has no effect on file",
		"file: x catchup=all":         "catchup has no effect on file",
		"file: x catchup_window=2d":   "catchup_window has no effect on file",
		"file: x jitter=1s":           "jitter has no effect on file",
		"file: x settle=-1s":          "is negative",
		"file: x settle=2d":           "more than 24h",
		"file: x batch=0":             "from 1 to 1000",
		"file: x batch=1001":          "from 1 to 1000",
		"file: x existing=1":          "neither yes nor no (write existing=yes)",
		"file: x reopened=maybe":      "neither yes nor no (write reopened=yes)",
		"file: x settel=1s":           "did you mean settle?",
		"fiel: x":                     "did you mean file?",
		"every: 1m settle=1s":         "settle has no effect on every; only file has it",
		"after: x batch=2":            "batch has no effect on after",
		"cron: 0 2 * * * reopened=no": "reopened has no effect on cron",
	} {
		if _, err := Parse(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", line, err, want)
		}
	}
}

func TestMatchName(t *testing.T) {
	for _, c := range []struct {
		part, name string
		want       bool
	}{{"*.csv", "a.csv", true}, {"*.csv", ".a.csv", false}, {".*", ".a", true}, {"?a", ".a", false}, {"[.]a", ".a", false}, {`\.a`, ".a", true},
		{"a[0-9]", "a7", true}, {"a[0-9]", "ab", false}, {"my file", "my file", true}, {"*", "a\nb", true}} {
		if got := MatchName(c.part, c.name); got != c.want {
			t.Errorf("%q matches %q: %v", c.part, c.name, got)
		}
	}
}
