package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"wf/api"
)

func TestCISystem(t *testing.T) {
	for _, c := range []struct{ vars, flag, want string }{
		{"", "auto", ciNone}, {"CI=1", "auto", ciNone}, {"GITHUB_ACTIONS=true", "auto", ciGitHub}, {"GITHUB_ACTIONS=false", "auto", ciNone},
		{"GITLAB_CI=true", "auto", ciGitLab}, {"BUILDKITE=true", "auto", ciBuildkite}, {"BUILDKITE=true", "none", ciNone}, {"", "gitlab", ciGitLab},
	} {
		e := &env{vars: strings.Fields(c.vars)}
		if got := e.ciSystem(c.flag); got != c.want {
			t.Errorf("%s --ci %s: %s, want %s", c.vars, c.flag, got, c.want)
		}
	}
}

// TestFold: what each system reads around a block, and an output that tries to break out of it.
func TestFold(t *testing.T) {
	ev := api.Event{Type: api.NodeFailed, Run: "7", Seq: 5, Time: time.Unix(1000, 0), Node: "n", Name: "align\n::x", DurationMS: number(int64(12300)),
		ExitCode: number(1), Reason: api.ReasonExit}
	hostile := "::endgroup::\n--- mine\n"
	for system, want := range map[string]string{
		ciGitHub:    "::group::align ::x (12.3s)\n::stop-commands::TOKEN\n" + hostile + "::TOKEN::\n::endgroup::\n::error title=align %3A%3Ax failed (exit 1)::50%25%0Alast\n",
		ciGitLab:    "\x1b[0Ksection_start:987:wf_7_5[collapsed=false]\r\x1b[0Kalign ::x (12.3s)\n" + hostile + "\x1b[0Ksection_end:1000:wf_7_5\r\x1b[0K\n",
		ciBuildkite: "+++ align ::x (12.3s)\n::endgroup::\n ---  mine\n",
		ciNone:      "-------- align ::x\n" + hostile,
	} {
		v, _, _ := testView(showOptions{ci: system})
		f := v.newFold(ev)
		var b bytes.Buffer
		f.begin(&b)
		b.Write(f.text([]byte(hostile)))
		f.end(&b)
		v.annotate(&b, ev, "50%\nlast")
		want = strings.ReplaceAll(strings.ReplaceAll(want, "TOKEN", f.token), "---  mine", "--- mine")
		if b.String() != want {
			t.Errorf("%s:\n%q\nwant\n%q", system, b.String(), want)
		}
		if again := v.newFold(ev); again.token == f.token || len(f.token) < 20 {
			t.Errorf("the token %q can be guessed", f.token)
		}
	}
}

func TestHarmless(t *testing.T) {
	for text, want := range map[string]string{
		"plain a::b":                   "plain a::b",
		"command  echo\n   ::error::x": "command  echo\n   : :error::x",
		"##[error]x":                   "## [error]x",
	} {
		v, _, _ := testView(showOptions{ci: ciGitHub})
		if got := v.harmless(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		v.ci = ciNone
		if got := v.harmless(text); got != text {
			t.Errorf("elsewhere: %q", got)
		}
	}
}
