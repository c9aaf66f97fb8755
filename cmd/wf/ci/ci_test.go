package ci

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"wf/api"
	"wf/cmd/wf/console"
)

func pointer[T any](n T) *T { return &n }

func TestCISystem(t *testing.T) {
	for _, c := range []struct{ vars, flag, want string }{
		{"", "auto", None}, {"CI=1", "auto", None}, {"GITHUB_ACTIONS=true", "auto", GitHub}, {"GITHUB_ACTIONS=false", "auto", None},
		{"GITLAB_CI=true", "auto", GitLab}, {"BUILDKITE=true", "auto", Buildkite}, {"BUILDKITE=true", "none", None}, {"", "gitlab", GitLab},
		{"TF_BUILD=True", "auto", Azure}, {"TEAMCITY_VERSION=2024.1", "auto", TeamCity}, {"TEAMCITY_VERSION=", "auto", None},
	} {
		e := &console.Console{Environ: strings.Fields(c.vars)}
		if got := Detect(e.Get, c.flag); got != c.want {
			t.Errorf("%s --ci %s: %s, want %s", c.vars, c.flag, got, c.want)
		}
	}
}

// TestFold checks the commands of each system around a block, and an output with such commands.
func TestFold(t *testing.T) {
	ev := api.Event{Type: api.NodeFailed, Run: "7", Seq: 5, Time: time.Unix(1000, 0), Node: "n", Name: "align\n::x", DurationMS: pointer(int64(12300)),
		ExitCode: pointer(1), Reason: api.ReasonExit}
	hostile := "::endgroup::\n##[endgroup]\n--- mine\n\x1b[31m+++ red\n---\n-------- table\n"
	for system, want := range map[string]string{
		GitHub: "-------- align ::x (12.3s)\n::stop-commands::TOKEN\n" + // the output could close a group
			"::endgroup::\n## [endgroup]\n--- mine\n\x1b[31m+++ red\n---\n-------- table\n" +
			"::TOKEN::\n::error title=align %3A%3Ax failed (exit 1)::50%25%0Alast\n",
		GitLab: "\x1b[0Ksection_start:987:wf_7_5[collapsed=false]\r\x1b[0Kalign ::x (12.3s)\n" + hostile +
			"\x1b[0Ksection_end:1000:wf_7_5\r\x1b[0K\n",
		Buildkite: "+++ align ::x (12.3s)\n::endgroup::\n##[endgroup]\n --- mine\n \x1b[31m+++ red\n ---\n-------- table\n",
		Azure: "##[group]align ::x (12.3s)\n" + "::endgroup::\n## [endgroup]\n--- mine\n\x1b[31m+++ red\n---\n-------- table\n" +
			"##[endgroup]\n##vso[task.logissue type=error]align ::x failed (exit 1): 50%25%0Alast\n",
		TeamCity: "##teamcity[blockOpened name='align ::x (12.3s)']\n" + hostile +
			"##teamcity[blockClosed name='align ::x (12.3s)']\n##teamcity[message text='align ::x failed (exit 1): 50%|nlast' status='ERROR']\n",
		None: "-------- align ::x\n" + hostile,
	} {
		f := NewBlock(system, ev)
		var b bytes.Buffer
		f.Begin(&b)
		b.Write(f.Text([]byte(hostile)))
		f.End(&b)
		Annotate(&b, system, ev, "50%\nlast")
		if got := strings.ReplaceAll(b.String(), f.token, "TOKEN"); got != want {
			t.Errorf("%s:\n%q\nwant\n%q", system, got, want)
		}
		if again := NewBlock(system, ev); again.token == f.token || len(f.token) < 20 {
			t.Errorf("the token %q can be guessed", f.token)
		}
	}
}

// TestBlockOfHandledFailure checks that a failed attempt before another one, and a handled failure, are folded blocks and not
// errors.
func TestBlockOfHandledFailure(t *testing.T) {
	failed := api.Event{Type: api.NodeFailed, Run: "7", Seq: 5, Time: time.Unix(1000, 0), Node: "n", Name: "align", Execution: 1,
		DurationMS: pointer(int64(12300)), ExitCode: pointer(1), Reason: api.ReasonExit}
	handled, attempt := failed, failed
	handled.Handled, attempt.Retry = true, &api.Retry{Attempt: 1, Of: 4}
	for _, c := range []struct {
		ev                        api.Event
		github, gitlab, buildkite string
	}{
		{handled, "::group::align (12.3s)\n::stop-commands::TOKEN\n::TOKEN::\n::endgroup::\n::notice title=align failed (exit 1%2C handled)::last\n",
			"[collapsed=true]", "--- align (12.3s)\n"},
		{attempt, "::group::align, attempt 1 of 4 (12.3s)\n::stop-commands::TOKEN\n::TOKEN::\n::endgroup::\n",
			"[collapsed=true]\r\x1b[0Kalign, attempt 1 of 4 (12.3s)", "--- align, attempt 1 of 4 (12.3s)\n"},
	} {
		for system, want := range map[string]string{GitHub: c.github, GitLab: c.gitlab, Buildkite: c.buildkite} {
			f := NewBlock(system, c.ev)
			var b bytes.Buffer
			f.Begin(&b)
			f.End(&b)
			Annotate(&b, system, c.ev, "last")
			got := strings.ReplaceAll(b.String(), f.token, "TOKEN")
			if system == GitHub && got != want || !strings.Contains(got, want) {
				t.Errorf("%s: %q, want %q", system, got, want)
			}
		}
	}
}

// TestHarmless checks that white space and invisible characters do not hide commands of a CI system.
func TestHarmless(t *testing.T) {
	commands := "x ##vso[task.complete]\n##VSO\u200b[a]\n##teamcity[blockClosed]\n"
	for _, c := range []struct{ system, text, want string }{
		{GitHub, "plain a::b ##x", "plain a::b ##x"},
		{GitHub, "command  echo\n   ::error::x", "command  echo\n   : :error::x"},
		{GitHub, "::error::x | out\n", ": :error::x | out\n"},
		{GitHub, "\u00a0\u3000\t::error::x", "\u00a0\u3000\t: :error::x"},
		{GitHub, "\u200b:\u00ad:error::x", "\u200b: \u00ad:error::x"},
		{GitHub, "a ##[error]x ##\u200b[add-mask]y", "a ## [error]x ##\u200b [add-mask]y"},
		{Buildkite, "--- x | out\n~~~ y", " --- x | out\n ~~~ y"},
		{Buildkite, "\x1b[1m\x1b[32m+++ x", " \x1b[1m\x1b[32m+++ x"},
		{Buildkite, "-------- end of x (::error::)", "-------- end of x (::error::)"},
		{Azure, commands, "x ##vso [task.complete]\n##VSO\u200b [a]\n##teamcity[blockClosed]\n"},
		{Azure, "##[section]x", "## [section]x"},
		{TeamCity, commands, "x ##vso[task.complete]\n##VSO\u200b[a]\n##teamcity [blockClosed]\n"},
		{GitLab, "::error::x", "::error::x"},
		{None, "::error::x ##[error]\n--- y", "::error::x ##[error]\n--- y"},
	} {
		got := Harmless(c.system, c.text)
		if got != c.want {
			t.Errorf("%s: %q becomes %q, want %q", c.system, c.text, got, c.want)
		}
		if again := Harmless(c.system, got); again != got {
			t.Errorf("%s: %q becomes %q", c.system, got, again)
		}
	}
}
