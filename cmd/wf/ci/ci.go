// Package ci writes for the logs of CI systems: it detects the system, puts outputs into folded blocks, annotates
// failures, and disarms text that the system would take for commands.
package ci

import (
	"crypto/rand"
	"fmt"
	"io"
	"strings"
	"time"

	"wf/api"
	"wf/client/runview"
	"wf/tui/plain"
	"wf/tui/words"
)

// The CI systems for whose logs this package writes folded groups and annotations.
const (
	None      = "none"
	GitHub    = "github"
	GitLab    = "gitlab"
	Buildkite = "buildkite"
	Azure     = "azure"
	TeamCity  = "teamcity"
)

// Systems are the values of --ci.
var Systems = []string{"auto", GitHub, GitLab, Buildkite, Azure, TeamCity, None}

// Detect returns the system of the flag --ci, or with auto the one that the environment names.
func Detect(getenv func(string) string, flag string) string {
	if flag != "auto" && flag != "" {
		return flag
	}
	for _, system := range []struct{ variable, name string }{
		{"GITHUB_ACTIONS", GitHub}, {"GITLAB_CI", GitLab}, {"BUILDKITE", Buildkite},
	} {
		if getenv(system.variable) == "true" {
			return system.name
		}
	}
	switch {
	case strings.EqualFold(getenv("TF_BUILD"), "true"):
		return Azure
	case getenv("TEAMCITY_VERSION") != "":
		return TeamCity
	}
	return None
}

// A Block is the output of one execution as a block of a log that can be folded. The text between Begin and End cannot
// end the block or give commands to the CI system.
type Block struct {
	system string
	Name   string // of the node, safe to print
	title  string
	id     string // unique in the log

	attempt string // ", attempt 1 of 4"
	Failed  bool
	token   string // GitHub: ends the text in which commands are ignored; random, so that no output contains it
	started time.Time
	ended   time.Time
}

// NewBlock returns the block for the execution that ev ended.
func NewBlock(system string, ev api.Event) Block {
	f := Block{system: system, Name: plain.Line(ev.Name), Failed: runview.EndState(ev) == api.StateFailed && runview.FinalFailure(ev) && !ev.Handled, token: rand.Text(), ended: ev.Time, started: ev.Time}
	f.id = fmt.Sprintf("wf_%s_%d", ev.Run, ev.Seq)
	f.attempt = AttemptText(ev)
	f.title = f.Name + f.attempt
	if ev.DurationMS != nil {
		f.started = ev.Time.Add(-time.Duration(*ev.DurationMS) * time.Millisecond)
		f.title += " (" + words.SpanMS(ev.DurationMS) + ")"
	}
	return f
}

// Begin and End write the lines around the output, which must end with a line end.
func (f *Block) Begin(w io.Writer) {
	switch f.system {
	case GitHub:
		if f.Failed { // groups are folded at first
			fmt.Fprintf(w, "-------- %s\n::stop-commands::%s\n", f.title, f.token)
			return
		}
		fmt.Fprintf(w, "::group::%s\n::stop-commands::%s\n", githubData(f.title), f.token)
	case GitLab:
		fmt.Fprintf(w, "\x1b[0Ksection_start:%d:%s[collapsed=%t]\r\x1b[0K%s\n", f.started.Unix(), f.id, !f.Failed, f.title)
	case Buildkite:
		mark := "---"
		if f.Failed {
			mark = "+++" // unfolded
		}
		fmt.Fprintf(w, "%s %s\n", mark, f.title)
	case Azure:
		fmt.Fprintf(w, "##[group]%s\n", Harmless(f.system, f.title))
	case TeamCity:
		fmt.Fprintf(w, "##teamcity[blockOpened name='%s']\n", teamCityValue(f.title))
	default:
		fmt.Fprintf(w, "-------- %s%s\n", f.Name, f.attempt)
	}
}

func (f *Block) End(w io.Writer) {
	switch f.system {
	case GitHub:
		fmt.Fprintf(w, "::%s::\n", f.token)
		if !f.Failed {
			fmt.Fprintln(w, "::endgroup::")
		}
	case GitLab:
		fmt.Fprintf(w, "\x1b[0Ksection_end:%d:%s\r\x1b[0K\n", f.ended.Unix(), f.id)
	case Azure:
		fmt.Fprintln(w, "##[endgroup]")
	case TeamCity:
		fmt.Fprintf(w, "##teamcity[blockClosed name='%s']\n", teamCityValue(f.title))
	}
}

// Text disarms output for the block, so that it cannot begin or end one.
func (f *Block) Text(output []byte) []byte {
	switch f.system {
	case GitHub: // stop-commands disables other commands, but the page of the log obeys these
		return breakOldCommands(output)
	case Buildkite:
		return breakHeaders(output)
	case Azure, TeamCity:
		return []byte(Harmless(f.system, string(output)))
	}
	return output
}

// Annotate reports a failed node to the CI system, with its last line of output. An attempt that another
// one follows is not a failure yet, and a handled failure is only a notice.
func Annotate(w io.Writer, system string, ev api.Event, last string) {
	if system != GitHub && system != Azure && system != TeamCity || ev.Retry != nil {
		return
	}
	level, why := "error", words.Cause(ev.Reason, ev.ExitCode, ev.Signal, ev.Message)
	if ev.Handled {
		level, why = "notice", why+HandledText(true)
	}
	what := plain.Line(ev.Name) + " failed (" + why + ")"
	switch system {
	case GitHub:
		fmt.Fprintf(w, "::%s title=%s::%s\n", level, githubProperty(what), githubData(last))
	case Azure:
		if !ev.Handled { // Azure has no notices
			fmt.Fprintf(w, "##vso[task.logissue type=error]%s\n", Harmless(system, githubData(what+": "+last)))
		}
	case TeamCity:
		status := "ERROR"
		if ev.Handled {
			status = "NORMAL"
		}
		fmt.Fprintf(w, "##teamcity[message text='%s' status='%s']\n", teamCityValue(what+": "+last), status)
	}
}

// githubData and githubProperty escape texts for a workflow command.
func githubData(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

func githubProperty(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(githubData(text))
}

// HandledText returns ", handled" for a handled failure, otherwise "".
func HandledText(handled bool) string {
	if handled {
		return ", handled"
	}
	return ""
}

// AttemptText returns ", attempt 1 of 4" for an attempt that is followed by another one, otherwise "".
func AttemptText(ev api.Event) string {
	if ev.Retry == nil {
		return ""
	}
	return fmt.Sprintf(", attempt %d of %d", ev.Retry.Attempt, ev.Retry.Of)
}
