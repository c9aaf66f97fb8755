// Package notify decides who is told about a run, and with which words. It reads the lines of the attribute notify, compares
// the end of a run with the end of the run before, and writes the texts. Packages outbox and send deliver them. It does no
// I/O and has no clock.
package notify

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"wf/api"
	"wf/graph/spelling"
	"wf/graph/timespan"
	"wf/tui/plain"
)

// A Rule is one line: it says when a message goes where.
type Rule struct {
	When []When
	To   Destination
	Line int // in the text, from 1
}

// When is a moment of a run.
type When struct {
	Word  Word
	After time.Duration // of Longer; longer than 0
}

// A Word names the moments of a Rule.
type Word string

// The words. Failure and Recovered mean a change: the run before had another result.
const (
	Failure      Word = "failure"
	EveryFailure Word = "every failure"
	Success      Word = "success"
	Recovered    Word = "recovered"
	Done         Word = "done"
	Waiting      Word = "waiting"
	Started      Word = "started"
	Longer       Word = "longer"
)

// wordList has the words in the order of the help. Longer has a time.
var wordList = []Word{Failure, EveryFailure, Success, Recovered, Done, Waiting, Started, Longer}

// usual is what a line without words means.
var usual = []When{{Word: Failure}, {Word: Recovered}}

// A Destination is where a message goes.
type Destination struct {
	Kind Kind
	// Text is what follows the kind: a command, addresses separated by commas, an address with https or http, a topic
	// or its address, the name of a destination of the configuration, or "".
	Text string
}

// A Kind is how a message is delivered.
type Kind string

// The kinds.
const (
	Exec    Kind = "exec"
	Mail    Kind = "mail"
	HTTP    Kind = "http" // also https
	Ntfy    Kind = "ntfy"
	Desktop Kind = "desktop"
	Named   Kind = "@" // a destination of the user's configuration
)

// String returns the destination as in a line.
func (d Destination) String() string {
	switch d.Kind {
	case HTTP:
		return d.Text
	case Desktop:
		return string(Desktop)
	case Named:
		return "@" + d.Text
	}
	return string(d.Kind) + ": " + d.Text
}

// Shown returns the destination without what may be secret in an address: its query, and all of its path but the beginning.
func (d Destination) Shown() string {
	address, ok := "", false
	if d.Kind == HTTP || d.Kind == Ntfy {
		address, ok = d.Text, strings.Contains(d.Text, "://")
	}
	u, err := url.Parse(address)
	if !ok || err != nil {
		return cut(plain.Line(d.String()), shownText)
	}
	path := u.EscapedPath()
	if len(path) > shownPath {
		path = path[:shownPath] + "…"
	}
	if u.RawQuery != "" {
		path += "?…"
	}
	return plain.Line(strings.Replace(d.String(), address, u.Scheme+"://"+u.Host+path, 1))
}

// shownPath is how many bytes of a path are shown. Chat servers have secrets in their paths.
const shownPath = 12

// shownText is how many bytes of another destination are shown.
const shownText = 60

// Limits of a text with rules.
const (
	mostRules = 50
	mostLine  = 4096 // bytes
)

// A Problem is a mistake in a line. The line has no effect.
type Problem struct {
	Line int // from 1
	Text string
}

// Parse reads lines of the form WHEN, WHEN -> WHERE. A line without -> means failure, recovered. Empty lines and lines that
// begin with # are ignored.
func Parse(text string) (rules []Rule, problems []Problem) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		r, err := parseLine(line)
		switch r.Line = n; {
		case len(rules) == mostRules:
			return rules, append(problems, Problem{n, fmt.Sprintf("there are more than %d lines", mostRules)})
		case err != nil:
			problems = append(problems, Problem{n, err.Error()})
		default:
			rules = append(rules, r)
		}
	}
	return rules, problems
}

func parseLine(line string) (r Rule, err error) {
	if len(line) > mostLine {
		return r, fmt.Errorf("it is longer than %d bytes", mostLine)
	}
	when, where, found := cutArrow(line)
	if !found {
		if r.To, err = ParseDestination(line); err == nil {
			r.When = usual
		}
		return r, err
	}
	if r.When, err = parseWhen(when); err != nil {
		return r, err
	}
	r.To, err = ParseDestination(where)
	return r, err
}

// cutArrow splits a line at its arrow. A line that begins with a destination has none: a command may contain ->.
func cutArrow(line string) (when, where string, found bool) {
	if _, err := ParseDestination(line); err == nil {
		return "", line, false
	}
	for _, arrow := range []string{"->", "→"} {
		if when, where, found = strings.Cut(line, arrow); found {
			return when, strings.TrimSpace(where), true
		}
	}
	return "", line, false
}

func parseWhen(text string) (list []When, err error) {
	for part := range strings.SplitSeq(text, ",") {
		w, err := parseMoment(strings.Join(strings.Fields(part), " "))
		if err != nil {
			return nil, err
		}
		if !slices.Contains(list, w) {
			list = append(list, w)
		}
	}
	return list, nil
}

func parseMoment(text string) (When, error) {
	word, span, timed := strings.Cut(text, ":")
	w := When{Word: Word(word)}
	switch {
	case text == "":
		return w, fmt.Errorf("the moment before -> is missing: %s", wordNames())
	case w.Word == Longer:
		d, err := timespan.Parse(strings.TrimSpace(span))
		if err != nil || d <= 0 {
			return w, fmt.Errorf("longer needs a time: longer: 2h")
		}
		w.After = d
	case timed || !slices.Contains(wordList, w.Word):
		return w, fmt.Errorf("%s is no moment of a run%s: %s", quoted(text), meant(word), wordNames())
	}
	return w, nil
}

func wordNames() string {
	names := make([]string, len(wordList))
	for i, w := range wordList {
		names[i] = string(w)
	}
	names[len(names)-1] += ": 2h"
	return strings.Join(names, ", ")
}

// quoted returns a text of a workfile for an error.
func quoted(text string) string {
	if text = plain.Line(text); len(text) > 60 {
		text = strings.ToValidUTF8(text[:60], "") + "…"
	}
	return strconv.Quote(text)
}

// meant returns a similar word as a question, "" for none.
func meant(text string) string {
	best, least := "", spelling.Most+1
	for _, w := range wordList {
		if n := spelling.Slips(string(w), text); n < least {
			best, least = string(w), n
		}
	}
	if best == "" {
		return ""
	}
	return ", did you mean " + best + "?"
}

// ParseDestination reads the part of a line after the arrow.
func ParseDestination(text string) (d Destination, err error) {
	kind, rest, colon := strings.Cut(text, ":")
	rest = strings.TrimSpace(rest)
	switch k := Kind(strings.TrimSpace(kind)); {
	case text == string(Desktop):
		return Destination{Kind: Desktop}, nil
	case strings.HasPrefix(text, "@"):
		d = Destination{Named, text[1:]}
		if !IsName(d.Text) {
			return d, fmt.Errorf("%s: after @ comes the name of a destination of the configuration: letters, digits, - and _", quoted(text))
		}
		return d, nil
	case k == "https" || k == "http":
		d = Destination{HTTP, text}
		return d, checkAddress(text)
	case colon && k == Exec:
		d = Destination{Exec, rest}
		if rest == "" || strings.ContainsRune(rest, 0) {
			return d, fmt.Errorf("exec needs a command: exec: logger -t wf \"$WF_NOTIFY_TITLE\"")
		}
		return d, nil
	case colon && k == Mail:
		d = Destination{Mail, rest}
		return d, checkMail(rest)
	case colon && k == Ntfy:
		d = Destination{Ntfy, rest}
		return d, checkTopic(rest)
	}
	return d, fmt.Errorf("%s is no destination: exec: COMMAND, mail: ADDRESS, https://…, ntfy: TOPIC, desktop, or @NAME", quoted(text))
}

// IsName reports whether a destination of the configuration can have this name.
func IsName(text string) bool {
	return text != "" && len(text) <= 32 && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}

// checkAddress refuses addresses to which nothing can be sent. A password in an address would be readable for everybody who
// can read the workfile, and stand in logs.
func checkAddress(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Hostname() == "" || strings.ContainsAny(text, " \t"):
		return fmt.Errorf("%s is no address of a server", quoted(text))
	case u.User != nil:
		return fmt.Errorf("the address contains a password: put it into the configuration, as [destination.NAME], and write @NAME")
	}
	return nil
}

// checkMail accepts addresses as mail servers take them. They become arguments of sendmail and lines of SMTP.
func checkMail(text string) error {
	for address := range strings.SplitSeq(text, ",") {
		address = strings.TrimSpace(address)
		user, host, at := strings.Cut(address, "@")
		bad := strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(`<>()[]\;:"`, r) })
		if !at || user == "" || host == "" || bad || strings.Contains(host, "@") || address[0] == '-' || len(address) > 254 {
			return fmt.Errorf("%s is no mail address", quoted(address))
		}
	}
	return nil
}

// checkTopic accepts the name of a topic at ntfy.sh, or the address of a topic at another server.
func checkTopic(text string) error {
	if strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://") {
		u, err := url.Parse(text)
		if err == nil && strings.Count(strings.Trim(u.Path, "/"), "/") == 0 && strings.Trim(u.Path, "/") != "" && u.RawQuery == "" {
			return checkAddress(text)
		}
		return fmt.Errorf("%s is no topic: write ntfy: TOPIC, or ntfy: https://SERVER/TOPIC", quoted(text))
	}
	if text == "" || len(text) > 64 || strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
		return fmt.Errorf("%s is no topic: use letters, digits, - and _", quoted(text))
	}
	return nil
}

// End is the end of a run, as far as it decides.
type End struct {
	Result api.Result
	Cause  string // why it was stopped
	Last   Last   // how the run before ended
}

// Last is how the latest other run of the workfile ended that nobody stopped.
type Last string

// How the run before ended.
const (
	LastUnknown Last = "" // there is none
	LastFailed  Last = "failed"
	LastOK      Last = "succeeded"
)

// Outcome returns what the end of a run means for the next one: LastUnknown if a person stopped it, because that says nothing
// about the work. A time limit and an approval that nobody could give count as failures.
func Outcome(result api.Result, cause string) Last {
	switch {
	case result == api.Succeeded:
		return LastOK
	case result == api.ResFailed, cause == "timeout", cause == "approval":
		return LastFailed
	}
	return LastUnknown
}

// AtEnd returns who is told about the end of a run, each destination once, and what the message is about.
func AtEnd(rules []Rule, end End) ([]Destination, api.NotifyEvent) {
	outcome := Outcome(end.Result, end.Cause)
	event := api.NotifyDone
	words := []Word{Done}
	switch {
	case outcome == LastFailed:
		event = api.NotifyFailure
		words = append(words, EveryFailure)
		if end.Last != LastFailed {
			words = append(words, Failure)
		}
	case outcome == LastOK && end.Last == LastFailed:
		event = api.NotifyRecovered
		words = append(words, Success, Recovered)
	case outcome == LastOK:
		event = api.NotifySuccess
		words = append(words, Success)
	}
	return To(rules, func(w When) bool { return slices.Contains(words, w.Word) }), event
}

// To returns the destinations of the rules with a moment that applies, each once.
func To(rules []Rule, applies func(When) bool) (list []Destination) {
	for _, r := range rules {
		if slices.ContainsFunc(r.When, applies) && !slices.Contains(list, r.To) {
			list = append(list, r.To)
		}
	}
	return list
}

// Uses reports whether a rule has a word.
func Uses(rules []Rule, word Word) bool {
	return len(To(rules, func(w When) bool { return w.Word == word })) > 0
}

// UsesEnd reports whether a rule is about the end of a run.
func UsesEnd(rules []Rule) bool {
	return len(To(rules, func(w When) bool { return !slices.Contains([]Word{Waiting, Started, Longer}, w.Word) })) > 0
}

// NextLonger returns the first moment after which a run that takes longer is reported, and that is later than since; 0 for
// none.
func NextLonger(rules []Rule, since time.Duration) (next time.Duration) {
	for _, r := range rules {
		for _, w := range r.When {
			if w.Word == Longer && w.After > since && (next == 0 || w.After < next) {
				next = w.After
			}
		}
	}
	return next
}
