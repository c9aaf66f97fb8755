// Package trigger reads the attribute on of a workfile: its lines say what starts runs, such as a schedule. It does not
// read the clock or files, and it starts nothing.
package trigger

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"wf/graph/spelling"
	"wf/graph/timespan"
	"wf/trigger/schedule"
	"wf/trigger/webhook"
)

// Attr is the name of the attribute.
const Attr = "on"

// A Kind is the first word of a line, in front of the colon.
type Kind string

// The kinds of triggers.
const (
	Cron    Kind = "cron"    // cron: 0 2 * * *
	Every   Kind = "every"   // every: 10m
	After   Kind = "after"   // after: ../other.wf success
	Webhook Kind = "webhook" // webhook: deploy
)

var kinds = []string{string(Cron), string(Every), string(After), string(File), string(Webhook)}

// Ends of runs for which After waits.
const (
	OnSuccess = "success"
	OnFailure = "failure"
	OnDone    = "done" // also of runs that were stopped
)

// Catchup says what happens to instants that were missed, because no daemon ran or the machine slept.
type Catchup string

// The words of catchup.
const (
	CatchupNone   Catchup = "none" // they are skipped
	CatchupLatest Catchup = "latest"
	CatchupAll    Catchup = "all" // a run for each, the oldest first
)

var catchups = []string{string(CatchupNone), string(CatchupLatest), string(CatchupAll)}

// A Trigger is one line of the attribute.
type Trigger struct {
	Kind Kind
	// Spec is the text between the kind and the options: a cron expression, a duration, a path with the end of its runs, a
	// pattern of paths, or the name of a webhook.
	Spec string
	Zone string // of tz, a name of the tz database; "" if there is none
	// Scheme is how deliveries of a Webhook are signed; "" for other kinds.
	Scheme webhook.Scheme

	Catchup Catchup
	Window  time.Duration // of catchup_window: older instants are not caught up; 0 = DefaultWindow
	Jitter  time.Duration // the longest delay after an instant
	Limit   Limit
	Files   Files // of a File
}

// Limit bounds the number of starts in a time. The zero value is no limit.
type Limit struct {
	Starts int
	Per    time.Duration
}

// DefaultWindow is the age of the oldest instant that catchup=latest or catchup=all starts without catchup_window.
const DefaultWindow = 7 * timespan.Day

// Limits of the values.
const (
	shortest   = time.Second        // of every
	longest    = 366 * timespan.Day // of every, windows and limits
	mostStarts = 1000               // of a limit
	mostLines  = 50                 // of one attribute
	mostLine   = 1000               // bytes
	mostJitter = 24 * time.Hour
)

// option is how an option is read.
type option struct {
	form string // for messages
	read func(t *Trigger, text string) error
}

var options = map[string]option{
	"tz":             {"tz=Europe/Berlin", (*Trigger).readZone},
	"catchup":        {"catchup=none, latest or all", (*Trigger).readCatchup},
	"catchup_window": {"catchup_window=2d", func(t *Trigger, text string) error { return readSpan(&t.Window, text, time.Second, longest) }},
	"jitter":         {"jitter=5m", func(t *Trigger, text string) error { return readSpan(&t.Jitter, text, 0, mostJitter) }},
	"limit":          {"limit=10/h", (*Trigger).readLimit},
	"scheme":         {"scheme=" + strings.Join(webhook.Schemes, ", "), (*Trigger).readScheme},
	"settle":         {"settle=10s", readSettle},
	"batch":          {"batch=1", readBatch},
	"existing":       {"existing=yes", func(t *Trigger, text string) error { return readYes(&t.Files.Existing, text) }},
	"reopened":       {"reopened=yes", func(t *Trigger, text string) error { return readYes(&t.Files.Reopened, text) }},
}

// Parse reads one line. The error says what is wrong and what to write instead.
func Parse(line string) (Trigger, error) {
	line = strings.TrimSpace(line)
	if len(line) > mostLine {
		return Trigger{}, fmt.Errorf("the line has %d bytes; at most %d are read", len(line), mostLine)
	}
	word, rest, found := strings.Cut(line, ":")
	t := Trigger{Kind: Kind(strings.TrimSpace(word)), Catchup: CatchupNone}
	if !found || !slices.Contains(kinds, string(t.Kind)) {
		return t, unknownKind(line, word, found)
	}
	if t.Kind == File {
		t.Files = Files{Settle: DefaultSettle, Batch: DefaultBatch}
	}
	parts := strings.Fields(rest)
	end := slices.IndexFunc(parts, isOption)
	if end < 0 {
		end = len(parts)
	}
	t.Spec = strings.Join(parts[:end], " ")
	seen := map[string]bool{}
	for _, part := range parts[end:] {
		if err := t.readOption(part, seen); err != nil {
			return t, err
		}
	}
	if err := t.checkFile(seen); err != nil {
		return t, err
	}
	switch {
	case t.Kind == Every && t.Zone != "":
		return t, fmt.Errorf("tz has no effect on every; write cron: to run at times of the day")
	case seen["scheme"] && t.Kind != Webhook:
		return t, fmt.Errorf("scheme has no effect on %s, only on webhook", t.Kind)
	case t.Kind == After:
		return t, t.checkAfter(seen)
	case t.Kind == Webhook:
		return t, t.checkWebhook(seen)
	}
	_, err := t.Schedule(time.Time{}, time.UTC)
	return t, err
}

// isOption reports whether a word of a line is an option. A path may contain = behind its first slash.
func isOption(word string) bool {
	key, _, found := strings.Cut(word, "=")
	return found && !strings.Contains(key, "/")
}

// Other returns the path of the workfile whose runs start those of an After, as it was written, and the end of these runs.
func (t Trigger) Other() (path, end string) {
	path, end = t.Spec, OnSuccess
	if i := strings.LastIndexByte(path, ' '); i >= 0 && slices.Contains([]string{OnSuccess, OnFailure, OnDone}, path[i+1:]) {
		path, end = path[:i], path[i+1:]
	}
	return path, end
}

// checkAfter checks an After. seen are its options.
func (t Trigger) checkAfter(seen map[string]bool) error {
	for _, key := range []string{"catchup", "catchup_window", "jitter", "tz"} {
		if seen[key] {
			return fmt.Errorf("%s has no effect on after, which sees every end of a run once; only limit has", key)
		}
	}
	switch t.Spec {
	case "":
		return fmt.Errorf("after needs a workfile; write after: ../other.graphml success (or failure, done)")
	case OnSuccess, OnFailure, OnDone:
		return fmt.Errorf("after needs a workfile before %s; write after: ../other.graphml %[1]s", t.Spec)
	}
	return nil
}

func unknownKind(line, word string, found bool) error {
	if similar := closest(strings.TrimSpace(word), kinds); found && similar != "" {
		return fmt.Errorf("%q is no trigger; did you mean %s?", strings.TrimSpace(word), similar)
	}
	return fmt.Errorf("%q is no trigger; write cron: 0 2 * * * (at two every night), every: 10m, after: ../other.graphml success, file: incoming/*.csv or webhook: deploy", line)
}

// readOption reads one key=value.
func (t *Trigger) readOption(part string, seen map[string]bool) error {
	key, value, found := strings.Cut(part, "=")
	if !found {
		return fmt.Errorf("%q stands behind the options; options are key=value and come last", part)
	}
	o, known := options[key]
	switch {
	case !known:
		names := slices.Sorted(maps.Keys(options))
		if similar := closest(key, names); similar != "" {
			return fmt.Errorf("the option %q is unknown; did you mean %s?", key, similar)
		}
		return fmt.Errorf("the option %q is unknown; there are %s", key, strings.Join(names, ", "))
	case seen[key]:
		return fmt.Errorf("%s is given twice", key)
	}
	seen[key] = true
	if err := o.read(t, value); err != nil {
		return fmt.Errorf("%s: %w (write %s)", part, err, o.form)
	}
	return nil
}

func (t *Trigger) readZone(text string) error {
	if text == "" || text == "Local" {
		return fmt.Errorf("a name of the tz database is needed")
	}
	if _, err := time.LoadLocation(text); err != nil {
		return fmt.Errorf("no time zone %q is known", text)
	}
	t.Zone = text
	return nil
}

func (t *Trigger) readCatchup(text string) error {
	if !slices.Contains(catchups, text) {
		return fmt.Errorf("%q is unknown", text)
	}
	t.Catchup = Catchup(text)
	return nil
}

func readSpan(into *time.Duration, text string, least, most time.Duration) error {
	d, err := timespan.Parse(text)
	switch {
	case err != nil:
		return fmt.Errorf("%q %w", text, err)
	case d < least:
		return fmt.Errorf("less than %v", least)
	case d > most:
		return fmt.Errorf("more than %v", most)
	}
	*into = d
	return nil
}

// readLimit reads a limit: 10/h, 1/30m.
func (t *Trigger) readLimit(text string) error {
	count, per, found := strings.Cut(text, "/")
	n, err := strconv.Atoi(count)
	if !found || err != nil || n < 1 || n > mostStarts {
		return fmt.Errorf("a number from 1 to %d and a time are needed", mostStarts)
	}
	if strings.Trim(per, "0123456789.") == per { // a unit alone
		per = "1" + per
	}
	if err := readSpan(&t.Limit.Per, per, time.Second, longest); err != nil {
		return err
	}
	t.Limit.Starts = n
	return nil
}

// Schedule returns the instants of t, nil for a trigger without instants. anchor is the beginning of an interval; local is the zone of a cron
// expression without tz.
func (t Trigger) Schedule(anchor time.Time, local *time.Location) (schedule.Schedule, error) {
	switch t.Kind {
	case After, File, Webhook:
		return nil, nil
	case Every:
		var period time.Duration
		if err := readSpan(&period, t.Spec, shortest, longest); err != nil {
			return nil, fmt.Errorf("every: %w", err)
		}
		return schedule.Every{Period: period, Anchor: anchor}, nil
	}
	if t.Zone != "" {
		zone, err := time.LoadLocation(t.Zone)
		if err != nil {
			return nil, fmt.Errorf("tz=%s: %w", t.Zone, err)
		}
		local = zone
	}
	c, err := schedule.ParseCron(t.Spec, local)
	if err != nil {
		return nil, fmt.Errorf("cron: %w", err)
	}
	return c, nil
}

// A Line is a line of an attribute on.
type Line struct {
	Node    string // id of the node that has the attribute; "" for the graph
	Text    string // with single blanks
	Trigger Trigger
	Err     error // why the line is no trigger; nil if it is
}

// Read reads the attribute of a node, or of the graph with node "". Empty lines and lines that begin with # are skipped.
func Read(node, attribute string) (lines []Line) {
	for text := range strings.Lines(attribute) {
		text = strings.Join(strings.Fields(text), " ")
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		if len(lines) == mostLines {
			return append(lines, Line{Node: node, Text: text, Err: fmt.Errorf("there are more than %d triggers", mostLines)})
		}
		t, err := Parse(text)
		lines = append(lines, Line{Node: node, Text: text, Trigger: t, Err: err})
	}
	return lines
}

// ID identifies the trigger within its workfile: the same line of the same node has the same id. A line with other words is
// another trigger.
func (l Line) ID() string {
	sum := sha256.Sum256([]byte(l.Node + "\x00" + l.Text))
	return hex.EncodeToString(sum[:6])
}

// closest returns the most similar of some words, or "".
func closest(text string, words []string) string {
	best, least := "", min(spelling.Most, len(text)/2)+1
	for _, word := range words {
		if n := spelling.Slips(strings.ToLower(text), word); n < least {
			best, least = word, n
		}
	}
	return best
}
