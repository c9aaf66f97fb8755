package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"wf/api"
)

// junitSuites is the root of a JUnit file. The format has no specification; these are the elements and attributes that
// CI systems agree on. encoding/xml replaces characters that XML 1.0 forbids.
type junitSuites struct {
	XMLName xml.Name   `xml:"testsuites"`
	Suite   junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name      string      `xml:"name,attr"`
	Tests     int         `xml:"tests,attr"`
	Failures  int         `xml:"failures,attr"`
	Errors    int         `xml:"errors,attr"`
	Skipped   int         `xml:"skipped,attr"`
	Time      string      `xml:"time,attr"` // seconds
	Timestamp string      `xml:"timestamp,attr"`
	Cases     []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitOutcome `xml:"failure"`
	Skipped *junitOutcome `xml:"skipped"`
}

type junitOutcome struct {
	Type    string `xml:"type,attr,omitempty"`
	Message string `xml:"message,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// writeJUnit writes the run as a test suite in which every node is a case.
func writeJUnit(w io.Writer, a *Account) error {
	suite := junitSuite{Name: a.workfile, Tests: len(a.cases), Timestamp: a.detail.Started.UTC().Format("2006-01-02T15:04:05"), Time: "0.000"}
	if ms := a.detail.DurationMS; ms != nil {
		suite.Time = junitTime(time.Duration(*ms) * time.Millisecond)
	}
	for _, c := range a.cases {
		out := junitCase{Name: c.name, Class: c.class, Time: junitTime(c.took())}
		switch {
		case c.state == api.StateOK && c.mocked:
			suite.Skipped++
			out.Skipped = &junitOutcome{Message: "mocked"}
		case c.state == api.StateOK && c.upToDate != "":
			suite.Skipped++
			out.Skipped = &junitOutcome{Message: c.upToDate}
		case c.state == api.StateOK:
		case c.state == api.StateFailed && !c.handled: // a handled failure is not a failure of the run
			suite.Failures++
			out.Failure = &junitOutcome{Type: "exit", Message: c.why(), Text: strings.Join(c.tail.Lines, "\n")}
			if c.exec != nil && c.exec.Reason != "" {
				out.Failure.Type = string(c.exec.Reason)
			}
		default:
			suite.Skipped++
			out.Skipped = &junitOutcome{Message: c.why()}
		}
		suite.Cases = append(suite.Cases, out)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(junitSuites{Suite: suite}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func junitTime(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
