package main

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

// The CI systems whose logs fold and are annotated.
const (
	ciNone      = "none"
	ciGitHub    = "github"
	ciGitLab    = "gitlab"
	ciBuildkite = "buildkite"
	ciAzure     = "azure"
	ciTeamCity  = "teamcity"
)

// ciWords are what --ci may be.
var ciWords = []string{"auto", ciGitHub, ciGitLab, ciBuildkite, ciAzure, ciTeamCity, ciNone}

// ciSystem is the one that --ci names, or with auto the one that the environment names.
func (e *env) ciSystem(flag string) string {
	if flag != "auto" && flag != "" {
		return flag
	}
	for _, system := range []struct{ variable, name string }{
		{"GITHUB_ACTIONS", ciGitHub}, {"GITLAB_CI", ciGitLab}, {"BUILDKITE", ciBuildkite},
	} {
		if e.Get(system.variable) == "true" {
			return system.name
		}
	}
	switch {
	case strings.EqualFold(e.Get("TF_BUILD"), "true"):
		return ciAzure
	case e.Get("TEAMCITY_VERSION") != "":
		return ciTeamCity
	}
	return ciNone
}

// A fold is the output of one execution as one block of a log: what a reader unfolds by its title.
// What lies between begin and end cannot end the block or give commands to the CI system.
type fold struct {
	system string
	name   string // of the node, safe to print
	title  string
	id     string // unique in the log

	attempt string // ", attempt 1 of 4"
	failed  bool
	token   string // GitHub: ends the text in which commands do not count; random, so that no output knows it
	begun   time.Time
	ended   time.Time
}

// newFold is the block of the execution that ev ended.
func (v *view) newFold(ev api.Event) fold {
	f := fold{system: v.ci, name: plain.Line(ev.Name), failed: runview.EndState(ev) == api.StateFailed && runview.FinalFailure(ev) && !ev.Handled, token: rand.Text(), ended: ev.Time, begun: ev.Time}
	f.id = fmt.Sprintf("wf_%s_%d", ev.Run, ev.Seq)
	f.attempt = attemptWord(ev)
	f.title = f.name + f.attempt
	if ev.DurationMS != nil {
		f.begun = ev.Time.Add(-time.Duration(*ev.DurationMS) * time.Millisecond)
		f.title += " (" + words.SpanMS(ev.DurationMS) + ")"
	}
	return f
}

// begin and end write the lines around the output, whose last line has ended.
func (f *fold) begin(w io.Writer) {
	switch f.system {
	case ciGitHub:
		if f.failed { // a group is closed until somebody opens it
			fmt.Fprintf(w, "-------- %s\n::stop-commands::%s\n", f.title, f.token)
			return
		}
		fmt.Fprintf(w, "::group::%s\n::stop-commands::%s\n", githubData(f.title), f.token)
	case ciGitLab:
		fmt.Fprintf(w, "\x1b[0Ksection_start:%d:%s[collapsed=%t]\r\x1b[0K%s\n", f.begun.Unix(), f.id, !f.failed, f.title)
	case ciBuildkite:
		mark := "---"
		if f.failed {
			mark = "+++" // unfolded
		}
		fmt.Fprintf(w, "%s %s\n", mark, f.title)
	case ciAzure:
		fmt.Fprintf(w, "##[group]%s\n", harmless(f.system, f.title))
	case ciTeamCity:
		fmt.Fprintf(w, "##teamcity[blockOpened name='%s']\n", teamCityValue(f.title))
	default:
		fmt.Fprintf(w, "-------- %s%s\n", f.name, f.attempt)
	}
}

func (f *fold) end(w io.Writer) {
	switch f.system {
	case ciGitHub:
		fmt.Fprintf(w, "::%s::\n", f.token)
		if !f.failed {
			fmt.Fprintln(w, "::endgroup::")
		}
	case ciGitLab:
		fmt.Fprintf(w, "\x1b[0Ksection_end:%d:%s\r\x1b[0K\n", f.ended.Unix(), f.id)
	case ciAzure:
		fmt.Fprintln(w, "##[endgroup]")
	case ciTeamCity:
		fmt.Fprintf(w, "##teamcity[blockClosed name='%s']\n", teamCityValue(f.title))
	}
}

// text makes output fit to stand in the block: nothing in it may begin or end one.
func (f *fold) text(output []byte) []byte {
	switch f.system {
	case ciGitHub: // stop-commands takes care of the others, but the page of the log obeys these
		return breakOldCommands(output)
	case ciBuildkite:
		return breakHeaders(output)
	case ciAzure, ciTeamCity:
		return []byte(harmless(f.system, string(output)))
	}
	return output
}

// annotate tells the CI system that a node has failed, with its last words. An attempt that another one
// follows is no failure yet, and one that an edge has fired for is none of the run.
func (v *view) annotate(w io.Writer, ev api.Event, last string) {
	if v.ci != ciGitHub && v.ci != ciAzure && v.ci != ciTeamCity || ev.Retry != nil {
		return
	}
	level, why := "error", words.Cause(ev.Reason, ev.ExitCode, ev.Signal, ev.Message)
	if ev.Handled {
		level, why = "notice", why+handledWord(true)
	}
	if last == "" {
		last = v.logCommand(ev.Run, ev.Name)
	}
	what := plain.Line(ev.Name) + " failed (" + why + ")"
	switch v.ci {
	case ciGitHub:
		fmt.Fprintf(w, "::%s title=%s::%s\n", level, githubProperty(what), githubData(last))
	case ciAzure:
		if !ev.Handled { // there are no notices, only warnings and errors
			fmt.Fprintf(w, "##vso[task.logissue type=error]%s\n", harmless(v.ci, githubData(what+": "+last)))
		}
	case ciTeamCity:
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
