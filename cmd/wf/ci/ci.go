// Package ci prints for the logs of CI systems: it detects the system, puts outputs into blocks that fold,
// annotates failures, and defuses text that the system would obey.
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

// Systems are what --ci may be.
var Systems = []string{"auto", GitHub, GitLab, Buildkite, Azure, TeamCity, None}

// Detect returns the system that the flag --ci names, or with auto the one that the environment names.
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

// A Block is the output of one execution as one block of a log: what a reader unfolds by its title.
// What lies between begin and end cannot end the block or give commands to the CI system.
type Block struct {
	system string
	Name   string // of the node, safe to print
	title  string
	id     string // unique in the log

	attempt string // ", attempt 1 of 4"
	Failed  bool
	token   string // GitHub: ends the text in which commands do not count; random, so that no output knows it
	begun   time.Time
	ended   time.Time
}

// NewBlock returns the block for the execution that ev ended.
func NewBlock(system string, ev api.Event) Block {
	f := Block{system: system, Name: plain.Line(ev.Name), Failed: runview.EndState(ev) == api.StateFailed && runview.FinalFailure(ev) && !ev.Handled, token: rand.Text(), ended: ev.Time, begun: ev.Time}
	f.id = fmt.Sprintf("wf_%s_%d", ev.Run, ev.Seq)
	f.attempt = AttemptText(ev)
	f.title = f.Name + f.attempt
	if ev.DurationMS != nil {
		f.begun = ev.Time.Add(-time.Duration(*ev.DurationMS) * time.Millisecond)
		f.title += " (" + words.SpanMS(ev.DurationMS) + ")"
	}
	return f
}

// Begin and end write the lines around the output, whose last line has ended.
func (f *Block) Begin(w io.Writer) {
	switch f.system {
	case GitHub:
		if f.Failed { // a group is closed until somebody opens it
			fmt.Fprintf(w, "-------- %s\n::stop-commands::%s\n", f.title, f.token)
			return
		}
		fmt.Fprintf(w, "::group::%s\n::stop-commands::%s\n", githubData(f.title), f.token)
	case GitLab:
		fmt.Fprintf(w, "\x1b[0Ksection_start:%d:%s[collapsed=%t]\r\x1b[0K%s\n", f.begun.Unix(), f.id, !f.Failed, f.title)
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

// Text makes output fit to stand in the block: nothing in it may begin or end one.
func (f *Block) Text(output []byte) []byte {
	switch f.system {
	case GitHub: // stop-commands takes care of the others, but the page of the log obeys these
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
		if !ev.Handled { // there are no notices, only warnings and errors
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

// githubData and githubProperty are texts in the places of a workflow command.
func githubData(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

func githubProperty(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(githubData(text))
}

// HandledText follows the cause of a failure that an edge has fired for.
func HandledText(handled bool) string {
	if handled {
		return ", handled"
	}
	return ""
}

// AttemptText is ", attempt 1 of 4" for one after which another follows.
func AttemptText(ev api.Event) string {
	if ev.Retry == nil {
		return ""
	}
	return fmt.Sprintf(", attempt %d of %d", ev.Retry.Attempt, ev.Retry.Of)
}
