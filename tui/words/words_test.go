package words

import (
	"slices"
	"testing"
	"time"

	"wf/api"
	"wf/tui/plain"
)

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0.0s", 840 * time.Millisecond: "0.8s", 59940 * time.Millisecond: "59.9s", 59960 * time.Millisecond: "1m00s",
		64 * time.Second: "1m04s", time.Hour - 400*time.Millisecond: "1h00m", 49 * time.Hour: "2d 1h", 63 * time.Minute: "1h03m",
	} {
		if got := Span(d); got != want {
			t.Errorf("Span(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestCause(t *testing.T) {
	two, none := 2, 127
	for want, got := range map[string]string{
		"exit 2":                       Cause(api.ReasonExit, &two, "", ""),
		"exit 127 (command not found)": Cause(api.ReasonExit, &none, "", ""),
		"killed by SIGKILL":            Cause(api.ReasonSignal, nil, "SIGKILL", ""),
		"cancelled":                    Cause(api.ReasonCancelled, nil, "SIGTERM", ""),
		"timeout":                      Cause(api.ReasonTimeout, nil, "SIGTERM", ""),
		"could not start: no":          Cause(api.ReasonStart, nil, "", "no\x1b[2J"),
		"activation limit":             Cause(api.ReasonLimit, nil, "", ""),
		"limit of loop a":              Cause(api.ReasonLimit, nil, "", "limit of loop a"),
		"lost":                         Cause(api.ReasonLost, nil, "", ""),
		"rejected":                     Cause(api.ReasonRejected, nil, "", ""),
		"rejected by ann: no":          Cause(api.ReasonRejected, nil, "", "rejected by ann: no"),
		"rejected: no":                 Cause(api.ReasonRejected, nil, "", "no"),
		"1 of 3 failed":                Cause(api.ReasonInstances, nil, "", "1 of 3 failed"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestQuote(t *testing.T) {
	for text, want := range map[string]string{"a-b_c.2": "a-b_c.2", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "x~2": "'x~2'", "a\x1b[2Jb": "'ab'"} {
		if got := Quote(text); got != want {
			t.Errorf("Quote(%q) = %s, want %s", text, got, want)
		}
	}
}

// TestStatesHaveDifferentSigns: Each state has its own sign, without colour and in ASCII. Nodes that ran and nodes
// that were kept share a sign and differ in weight.
func TestStatesHaveDifferentSigns(t *testing.T) {
	states := []api.State{api.StateIdle, api.StateQueued, api.StateRunning, api.StateOK, api.StateFailed, api.StateCancelled, api.StateBlocked, api.StateKept,
		api.StateSkipped, api.StateWaiting, api.StateRetrying}
	glyphs, plain := map[string]api.State{}, map[string]api.State{}
	for _, s := range states {
		l := LookOf(s)
		if other, taken := glyphs[l.Glyph]; taken && s != api.StateKept {
			t.Errorf("%s looks like %s", s, other)
		}
		if other, taken := plain[l.ASCII]; taken {
			t.Errorf("%s looks like %s in ASCII", s, other)
		}
		glyphs[l.Glyph], plain[l.ASCII] = s, s
		if l.Sign(false) != l.Glyph || l.Sign(true) != l.ASCII || l.SGR == "" {
			t.Errorf("%s: %+v", s, l)
		}
	}
}

func TestAskedUsesTheWordsOfTheCommandLine(t *testing.T) {
	for want, r := range map[string]api.RunSummary{
		"all":                              {Mode: api.ModeFresh},
		"resume":                           {Mode: api.ModeResume},
		"resume 41":                        {Mode: api.ModeResume, Resumes: "41"},
		"--nodes +a b":                     {Selection: []string{"+a", "b"}, Mode: api.ModeFresh},
		"--nodes a --exclude c":            {Selection: []string{"a"}, Exclude: []string{"c"}},
		"--from b --exclude qc":            {From: []string{"b"}, Exclude: []string{"qc"}},
		"--nodes a --until c":              {Selection: []string{"a"}, Until: []string{"c"}},
		"--from id:n3 --until c":           {Mode: api.ModeFresh, From: []string{"id:n3"}, Until: []string{"c"}},
		"resume 41 --from b":               {Mode: api.ModeResume, Resumes: "41", From: []string{"b"}},
		"all --exclude qc":                 {Exclude: []string{"qc"}},
		"--nodes " + plain.Line("\x1b[2J"): {Selection: []string{"\x1b[2J"}},
	} {
		if got := Asked(r); got != want {
			t.Errorf("%+v was asked for %q, want %q", r, got, want)
		}
	}
	for result, want := range map[api.Result]string{"": "running", api.Succeeded: "ok", api.ResFailed: "failed", api.Cancelled: "cancelled"} {
		if got := ResultWord(result); got != want {
			t.Errorf("the result %q is called %q, want %q", result, got, want)
		}
	}
}

func TestNameList(t *testing.T) {
	if got := NameList([]string{"a", "b\x1b[2J", "c", "d"}, 2); got != "a, b (2 more)" {
		t.Errorf("%q", got)
	}
}

func TestCountParts(t *testing.T) {
	got := CountParts(api.Counts{OK: 24, Failed: 1, Idle: 5}, "not reached")
	if want := []string{"24 ok", "1 failed", "5 not reached"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := CountParts(api.Counts{}, "idle"); !slices.Equal(got, []string{"0 nodes"}) {
		t.Errorf("%q", got)
	}
}

func TestPlural(t *testing.T) {
	for want, got := range map[string]string{
		"1 node": Plural(1, "node"), "0 nodes": Plural(0, "node"), "2 histories": Plural(2, "history"), "3 keys": Plural(3, "key"), "2 days": Plural(2, "day"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestTraitsAndAttempts(t *testing.T) {
	for want, n := range map[string]api.NodeStatus{
		"|":                      {},
		"foreach retry 3 asks|":  {SubFlow: "foreach", Retries: 3, Approve: true},
		"retry 3|attempt 2 of 4": {Retries: 3, Attempt: 1},
		"retry 1|attempt 3":      {Retries: 1, Attempt: 2},
	} {
		if got := Traits(&n) + "|" + Attempt(&n); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
