package notify

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"wf/api"
)

func TestParse(t *testing.T) {
	for line, want := range map[string]Rule{
		"desktop":                           {When: usual, To: Destination{Kind: Desktop}},
		"failure -> desktop":                {When: []When{{Word: Failure}}, To: Destination{Kind: Desktop}},
		" every  failure,success→desktop":   {When: []When{{Word: EveryFailure}, {Word: Success}}, To: Destination{Kind: Desktop}},
		"done, done -> exec: a -> b":        {When: []When{{Word: Done}}, To: Destination{Exec, "a -> b"}},
		"exec: a -> b":                      {When: usual, To: Destination{Exec, "a -> b"}},
		"longer: 1h30m, waiting -> @team-1": {When: []When{{Longer, 90 * time.Minute}, {Word: Waiting}}, To: Destination{Named, "team-1"}},
		"mail: a@b.org, c@d":                {When: usual, To: Destination{Mail, "a@b.org, c@d"}},
		"started -> https://x.org/a?b=c":    {When: []When{{Word: Started}}, To: Destination{HTTP, "https://x.org/a?b=c"}},
		"recovered -> http://[::1]:8080/":   {When: []When{{Word: Recovered}}, To: Destination{HTTP, "http://[::1]:8080/"}},
		"ntfy: topic":                       {When: usual, To: Destination{Ntfy, "topic"}},
		"ntfy: https://n.org/topic":         {When: usual, To: Destination{Ntfy, "https://n.org/topic"}},
	} {
		rules, problems := Parse("# comment\n\n" + line + "\n")
		if len(problems) > 0 || len(rules) != 1 {
			t.Errorf("%q: %v %v", line, rules, problems)
			continue
		}
		r := rules[0]
		if !slices.Equal(r.When, want.When) || r.To != want.To || r.Line != 3 {
			t.Errorf("%q: %+v, want %+v", line, r, want)
		}
		if again, err := ParseDestination(r.To.String()); err != nil || again != r.To {
			t.Errorf("%q: %q is read as %v, %v", line, r.To, again, err)
		}
	}
}

func TestParseMistakes(t *testing.T) {
	for line, want := range map[string]string{
		"failed -> desktop":              `"failed" is no moment of a run`,
		"sucess -> desktop":              "did you mean success?",
		"-> desktop":                     "the moment before -> is missing",
		"failure: 3 -> desktop":          `"failure: 3" is no moment`,
		"longer -> desktop":              "longer needs a time",
		"longer: 0s -> desktop":          "longer needs a time",
		"failure -> desctop":             `"desctop" is no destination`,
		"failure ->":                     `"" is no destination`,
		"exec:":                          "exec needs a command",
		"exec: a\x00b":                   "exec needs a command",
		"mail: ann":                      `"ann" is no mail address`,
		"mail: -oX@b":                    "is no mail address",
		"mail: a@b, ":                    "is no mail address",
		"mail: a@b\x0dX":                 "is no mail address",
		"mail: <a@b>":                    "is no mail address",
		"https://ann:secret@x.org/":      "the address contains a password",
		"https:///path":                  "is no address",
		"https://x.org/a b":              "is no address",
		"ntfy: a/b":                      "is no topic",
		"ntfy: https://x.org/":           "is no topic",
		"ntfy: https://u:p@x.org/t":      "contains a password",
		"@a b":                           "after @ comes the name",
		"failure -> mail: a@b\nnonsense": `"nonsense" is no destination`,
		strings.Repeat("x", mostLine+1):  "longer than 4096 bytes",
		strings.Repeat("desktop\n", 52):  "more than 50 lines",
		"failure -> \x1b[31mx":           `"x" is no destination`,
	} {
		_, problems := Parse(line)
		if len(problems) != 1 || !strings.Contains(problems[0].Text, want) {
			t.Errorf("%.60q: %v, want %q", line, problems, want)
		}
	}
}

// TestParseAnything checks that no text breaks the reading, and that what is read can be written and read again.
func TestParseAnything(t *testing.T) {
	words := rapid.SampledFrom([]string{"failure", "every failure", "longer", ":", "2h", ",", "->", "→", " ", "\n", "exec", "mail", "a@b", "https://x/", "ntfy", "@", "desktop", "#", "\x00", "\xff", "é"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(words, 0, 20).Draw(t, "words"), "")
		rules, problems := Parse(text)
		for _, r := range rules {
			if again, err := ParseDestination(r.To.String()); err != nil || again != r.To {
				t.Fatalf("%q: %q is read as %v, %v", text, r.To, again, err)
			}
		}
		for _, p := range problems {
			if strings.ContainsAny(p.Text, "\x00\n") || !utf8.ValidString(p.Text) {
				t.Fatalf("%q: %q", text, p.Text)
			}
		}
	})
}

func TestShown(t *testing.T) {
	for line, want := range map[string]string{
		"https://hooks.example.org/services/T000/B000/SECRET": "https://hooks.example.org/services/T0…",
		"https://x.org/?key=SECRET":                           "https://x.org/?…",
		"ntfy: https://n.org/topic":                           "ntfy: https://n.org/topic",
		"mail: a@b":                                           "mail: a@b",
		"@team":                                               "@team",
		"exec: " + strings.Repeat("x", 100):                   "exec: " + strings.Repeat("x", 54) + "…",
	} {
		d, err := ParseDestination(line)
		if err != nil || d.Shown() != want {
			t.Errorf("%s: %q, %v, want %q", line, d.Shown(), err, want)
		}
	}
}

func TestAtEnd(t *testing.T) {
	rules, problems := Parse("failure -> @f\nevery failure -> @e\nsuccess -> @s\nrecovered -> @r\ndone -> @d\n@default\nfailure, done -> @d\nstarted, waiting, longer: 1s -> @x")
	if problems != nil {
		t.Fatal(problems)
	}
	for _, c := range []struct {
		end   End
		event api.NotifyEvent
		to    string
	}{
		{End{api.ResFailed, "", LastUnknown}, api.NotifyFailure, "f e d default"},
		{End{api.ResFailed, "", LastOK}, api.NotifyFailure, "f e d default"},
		{End{api.ResFailed, "", LastFailed}, api.NotifyFailure, "e d"},
		{End{api.Cancelled, "timeout", LastOK}, api.NotifyFailure, "f e d default"},
		{End{api.Cancelled, "approval", LastFailed}, api.NotifyFailure, "e d"},
		{End{api.Cancelled, "SIGINT", LastOK}, api.NotifyDone, "d"},
		{End{api.Cancelled, "", LastFailed}, api.NotifyDone, "d"},
		{End{api.Succeeded, "", LastUnknown}, api.NotifySuccess, "s d"},
		{End{api.Succeeded, "", LastOK}, api.NotifySuccess, "s d"},
		{End{api.Succeeded, "", LastFailed}, api.NotifyRecovered, "s r d default"},
	} {
		to, event := AtEnd(rules, c.end)
		var names []string
		for _, d := range to {
			names = append(names, d.Text)
		}
		if got := strings.Join(names, " "); got != c.to || event != c.event {
			t.Errorf("%+v: %s to %s, want %s to %s", c.end, event, got, c.event, c.to)
		}
	}
}

// TestChanges checks with random results that a line without words tells each change once, and nothing else.
func TestChanges(t *testing.T) {
	rules, _ := Parse("desktop")
	rapid.Check(t, func(t *rapid.T) {
		last, failing := LastUnknown, false
		for range rapid.IntRange(1, 30).Draw(t, "runs") {
			result := rapid.SampledFrom([]api.Result{api.Succeeded, api.ResFailed, api.Cancelled}).Draw(t, "result")
			to, event := AtEnd(rules, End{Result: result, Last: last})
			changed := result == api.ResFailed && !failing || result == api.Succeeded && failing
			if (len(to) == 1) != changed {
				t.Fatalf("%s after %q: %v", result, last, to)
			}
			if changed && event != api.NotifyFailure && event != api.NotifyRecovered {
				t.Fatalf("%s", event)
			}
			if o := Outcome(result, ""); o != LastUnknown {
				last, failing = o, o == LastFailed
			}
		}
	})
}

func TestNextLonger(t *testing.T) {
	rules, _ := Parse("longer: 2h -> desktop\nlonger: 1h, longer: 3h -> @a")
	var list []time.Duration
	for d := NextLonger(rules, 0); d > 0; d = NextLonger(rules, d) {
		list = append(list, d)
	}
	if !slices.Equal(list, []time.Duration{time.Hour, 2 * time.Hour, 3 * time.Hour}) {
		t.Errorf("%v", list)
	}
	if !Uses(rules, Longer) || Uses(rules, Failure) || UsesEnd(rules) {
		t.Error("what the rules use")
	}
}
