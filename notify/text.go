package notify

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wf/api"
	"wf/tui/plain"
	"wf/tui/words"
)

// Limits of the texts in a notification, in bytes.
const (
	mostTitle   = 200
	mostWords   = 500 // of a question or a cause in the text
	mostLines   = 12  // of output
	mostOutLine = 400
)

// ID returns the name of a notification. The same occasion and destination give the same name, also in another daemon, so that
// a notification is not made twice. It is part of names of files.
func ID(to Destination, parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(append(parts, to.String()), "\x00")))
	return hex.EncodeToString(sum[:12])
}

// Complete sets the title, the text and the commands of a notification from its other fields.
func Complete(n *api.Notification) {
	n.Schema = api.SchemaNotification
	if n.Commands == nil {
		n.Commands = commandsOf(*n)
	}
	n.Title = title(*n)
	n.Text = text(*n)
}

// Lines returns the last lines of an output, as a terminal would show them and safe for every program: of a line with
// carriage returns it keeps the text after the last one, and of a long line the beginning. Of several outputs the last one takes
// precedence.
func Lines(outputs ...[]byte) (lines []string) {
	for _, output := range slices.Backward(outputs) {
		text := strings.TrimRight(string(output), "\r\n")
		if text == "" {
			continue
		}
		all := strings.Split(text, "\n")
		var own []string
		for _, line := range all[max(0, len(all)-mostLines+len(lines)):] {
			line = strings.TrimRight(line, "\r")
			line = plain.Text(line[strings.LastIndexByte(line, '\r')+1:])
			own = append(own, cut(strings.ReplaceAll(line, "\t", "    "), mostOutLine))
		}
		lines = append(own, lines...)
	}
	return lines
}

// cut returns the first bytes of a text, and never half a character.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// name returns the name of the workfile in a title.
func name(n api.Notification) string {
	if n.Workfile == "" {
		return "wf"
	}
	return filepath.Base(n.Workfile)
}

func title(n api.Notification) string {
	var t string
	switch n.Event {
	case api.NotifyFailure:
		if t = "failed"; n.Unstarted() {
			t = "did not start"
		}
		if f := n.Failed; f != nil {
			t += ": " + f.Name + " (" + words.Cause(f.Reason, f.ExitCode, f.Signal, "") + ")"
		} else if n.Cause != "" {
			t += ": " + causeText(n.Cause)
		}
	case api.NotifySuccess:
		t = "succeeded"
	case api.NotifyRecovered:
		t = "succeeds again"
	case api.NotifyDone:
		t = "was stopped"
		if n.Cause != "" {
			t += ": " + causeText(n.Cause)
		}
	case api.NotifyStarted:
		t = "has started"
	case api.NotifyLonger:
		t = "has run for " + words.Span(time.Duration(n.DurationMS)*time.Millisecond)
	case api.NotifyWaiting:
		t = "waits for a person"
		if q := n.Question; q != nil {
			t += ": " + q.Text
		}
	case api.NotifyTest:
		t = "sends a test"
	}
	return cut(plain.Line(name(n)+" "+t), mostTitle)
}

// causeText returns the words for why a run was stopped.
func causeText(cause string) string {
	switch cause {
	case "timeout":
		return "its time limit has passed"
	case "approval":
		return "nobody could approve"
	}
	return plain.Line(cause)
}

// commandsOf returns what the reader of a notification can do.
func commandsOf(n api.Notification) []api.NotifiedCommand {
	file := words.Quote(n.Workfile)
	var list []api.NotifiedCommand
	add := func(why, line string) { list = append(list, api.NotifiedCommand{For: why, Line: line}) }
	switch n.Event {
	case api.NotifyFailure, api.NotifyDone:
		if n.Unstarted() {
			add("try", "wf plan "+file)
			break
		}
		add("resume", "wf resume "+file)
		if n.Failed != nil {
			add("output", "wf logs --file "+file+" --run "+n.Run+" "+words.Quote(n.Failed.Name))
		}
	case api.NotifyStarted, api.NotifyLonger:
		add("status", "wf status "+file)
		add("stop", "wf stop "+file)
	case api.NotifyWaiting:
		node := words.Quote(n.Question.Node)
		values := ""
		if len(n.Question.Cases) > 0 {
			values = " --set case=" + words.Quote(n.Question.Cases[0])
		}
		add("approve", "wf approve --file "+file+" --run "+n.Run+values+" "+node)
		add("reject", "wf reject --file "+file+" --run "+n.Run+" "+node)
	}
	return list
}

// text returns everything for people.
func text(n api.Notification) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%s", n.Title)
	line("")
	if n.Event == api.NotifyTest {
		line("This is a test, sent by wf notify test on %s.", plain.Line(n.Host))
		line("Notifications about runs come to this place, too.")
		return b.String()
	}
	facts(&b, n)
	if f := n.Failed; f != nil {
		line("")
		line("%s: %s", plain.Line(f.Name), cut(words.Cause(f.Reason, f.ExitCode, f.Signal, f.Message), mostWords))
		if len(f.Lines) > 0 {
			line("Its last lines:")
			for _, l := range f.Lines {
				line("  %s", l)
			}
		}
	}
	if q := n.Question; q != nil {
		question(&b, *q)
	}
	if len(n.Commands) > 0 {
		line("")
		for _, c := range n.Commands {
			line("%-9s %s", c.For+":", c.Line)
		}
	}
	return b.String()
}

// facts writes what is known about the run.
func facts(b *strings.Builder, n api.Notification) {
	row := func(label, value string) { fmt.Fprintf(b, "%-9s %s\n", label+":", value) }
	row("workfile", plain.Line(n.Workfile))
	if n.Unstarted() {
		row("run", "did not start: "+cut(plain.Line(n.Cause), mostWords))
	} else {
		runFact(row, n)
	}
	if n.Host != "" {
		host := n.Host
		if n.User != "" {
			host = n.User + " on " + n.Host
		}
		row("by", plain.Line(host))
	}
	if n.Counts != nil {
		row("nodes", strings.Join(words.CountParts(*n.Counts, "not run"), ", "))
	}
}

// runFact writes number, start and duration of a run.
func runFact(row func(label, value string), n api.Notification) {
	run := n.Run
	if n.Started != nil {
		run += ", started " + n.Started.Local().Format("2006-01-02 15:04:05 -0700")
	}
	if n.Event != api.NotifyStarted {
		run += ", " + words.Span(time.Duration(n.DurationMS)*time.Millisecond)
	}
	row("run", run)
}

// question writes what a person is asked.
func question(b *strings.Builder, q api.NotifiedQuestion) {
	fmt.Fprintf(b, "\n%s asks:\n", plain.Line(q.Name))
	for l := range strings.Lines(cut(plain.Text(q.Text), mostWords)) {
		fmt.Fprintf(b, "  %s\n", strings.TrimRight(l, "\n"))
	}
	if len(q.Cases) > 0 {
		fmt.Fprintf(b, "The answer is one of: %s\n", cut(plain.Line(strings.Join(q.Cases, ", ")), mostWords))
	}
	if q.Until != nil {
		fmt.Fprintf(b, "Without an answer it is %s at %s.\n", words.Decided(q.Default == "approve"), q.Until.Local().Format("2006-01-02 15:04:05 -0700"))
	}
}
