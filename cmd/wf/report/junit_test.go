package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"wf/api"
	"wf/tui/tail"
)

// junitElement is an element in the schema of Jenkins, as far as reports use it: its elements, its attributes with the
// form of their values, and the required attributes.
type junitElement struct {
	children   []string
	attributes map[string]string
	required   []string
}

const (
	junitAnything = `^[\s\S]*$`
	junitNumber   = `^\d+$`
	junitSeconds  = `^\d+\.\d{3}$`
	junitMoment   = `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$`
)

var junitSchema = map[string]junitElement{
	"":           {children: []string{"testsuites"}},
	"testsuites": {children: []string{"testsuite"}},
	"testsuite": {
		children: []string{"testcase"},
		attributes: map[string]string{"name": junitAnything, "tests": junitNumber, "failures": junitNumber, "errors": junitNumber,
			"skipped": junitNumber, "time": junitSeconds, "timestamp": junitMoment},
		required: []string{"name", "tests"},
	},
	"testcase": {
		children:   []string{"failure", "skipped"},
		attributes: map[string]string{"name": junitAnything, "classname": junitAnything, "time": junitSeconds},
		required:   []string{"name", "classname"},
	},
	"failure": {attributes: map[string]string{"type": junitAnything, "message": junitAnything}, required: []string{"type"}},
	"skipped": {attributes: map[string]string{"type": junitAnything, "message": junitAnything}},
}

// checkJUnit validates a document with the schema and returns how often each element occurs, and all of the text.
func checkJUnit(t *testing.T, document []byte) (count map[string]int, text string) {
	t.Helper()
	count = map[string]int{}
	open := []string{""}
	decoder := xml.NewDecoder(bytes.NewReader(document))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return count, text
		}
		if err != nil {
			t.Fatalf("%v in:\n%s", err, document)
		}
		switch token := token.(type) {
		case xml.StartElement:
			name := token.Name.Local
			if parent := open[len(open)-1]; !slices.Contains(junitSchema[parent].children, name) {
				t.Errorf("<%s> in <%s>", name, parent)
			}
			checkJUnitAttributes(t, token)
			count[name]++
			open = append(open, name)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			text += string(token)
		}
	}
}

func checkJUnitAttributes(t *testing.T, element xml.StartElement) {
	t.Helper()
	name := element.Name.Local
	missing := slices.Clone(junitSchema[name].required)
	for _, a := range element.Attr {
		pattern, known := junitSchema[name].attributes[a.Name.Local]
		if !known || !regexp.MustCompile(pattern).MatchString(a.Value) {
			t.Errorf("<%s %s=%q>", name, a.Name.Local, a.Value)
		}
		missing = slices.DeleteFunc(missing, func(required string) bool { return required == a.Name.Local })
	}
	if len(missing) > 0 {
		t.Errorf("<%s> without %s", name, missing)
	}
}

// TestJUnit checks that the report satisfies the schema of CI systems with any names and outputs.
func TestJUnit(t *testing.T) {
	hostile := "a]]>b</failure><x>\x00\x1b[31m\ufffe\xff&amp;"
	failed := &api.Execution{Reason: api.ReasonSignal, Signal: "SIGKILL", DurationMS: number(int64(61234))}
	a := &Account{workfile: hostile, detail: api.RunDetail{RunSummary: api.RunSummary{Started: time.Unix(1e9, 5e8), DurationMS: number(int64(7))}}, cases: []testCase{
		{name: "fine", class: "group", state: api.StateOK, exec: &api.Execution{OK: true, DurationMS: number(int64(1))}},
		{name: hostile, class: hostile, state: api.StateFailed, exec: failed, tail: tail.Tail{Lines: []string{hostile, "last"}}},
		{name: "waits", class: "group", state: api.StateBlocked},
		{name: "stopped", class: "group", state: api.StateCancelled, exec: &api.Execution{Reason: api.ReasonCancelled}},
		{name: "never", class: "group", state: api.StateIdle},
	}}
	var b bytes.Buffer
	if err := writeJUnit(&b, a); err != nil {
		t.Fatal(err)
	}
	count, text := checkJUnit(t, b.Bytes())
	if count["testcase"] != 5 || count["failure"] != 1 || count["skipped"] != 3 {
		t.Errorf("elements: %v", count)
	}
	for _, want := range []string{`tests="5" failures="1" errors="0" skipped="3" time="0.007" timestamp="2001-09-09T01:46:40"`,
		`time="61.234"`, `<failure type="signal" message="killed by SIGKILL">`, `<skipped message="cancelled">`, `<skipped message="not reached">`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in:\n%s", want, b.String())
		}
	}
	if !strings.Contains(text, "a]]>b</failure><x>") || !strings.Contains(text, "last") {
		t.Errorf("the output has become %q", text)
	}
	if i := strings.IndexFunc(b.String(), func(r rune) bool { return r < ' ' && r != '\n' || r == 0xfffe }); i >= 0 {
		t.Errorf("a character that XML 1.0 forbids at %q", b.String()[i:])
	}

	b.Reset()
	if err := writeJUnit(&b, &Account{workfile: "Empty"}); err != nil {
		t.Fatal(err)
	}
	checkJUnit(t, b.Bytes())
}
