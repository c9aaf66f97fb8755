package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"wf/client/alike"
	"wf/tui/dialog"
	"wf/tui/tail"
)

// someFailures returns a digest of two groups: three failures of trim, and one of align.
func someFailures() digest {
	d := digest{run: "42", known: true}
	var like []alike.Failure
	add := func(name, cause string, lines ...string) {
		d.failed = append(d.failed, failedNode{"id-" + name, name, cause, tail.Tail{Lines: lines, Total: len(lines)}})
		like = append(like, alike.Failure{Name: name, Cause: cause, Tail: lines})
	}
	for i := range 3 {
		add(fmt.Sprintf("trim_S%03d", i), "exit 1", fmt.Sprintf("processing S%03d", i), "No space left on device: /tmp/S"+fmt.Sprint(i))
	}
	add("align_S000", "killed by SIGKILL")
	d.groups = alike.Groups(like)
	return d
}

// TestDigestKeys: The keys of the digest are about the selected group and its example.
func TestDigestKeys(t *testing.T) {
	m := testModel(100, 30, pipeline(5))
	m.page, m.digest = digestPage, someFailures()
	press(m, "right")
	if got := frame(m); !strings.Contains(got, "trim_S001 (2 of 3, ← →), 2 lines") || !strings.Contains(got, "│ processing S001") {
		t.Errorf("the second example is not shown:\n%s", got)
	}
	press(m, "left", "left", "enter")
	if got := selectedName(m); got != "trim_S002" || m.page != mainPage {
		t.Errorf("Enter goes to %q on page %d", got, m.page)
	}
	m.page = digestPage
	press(m, "R")
	var got []string
	for _, c := range m.dialogs[0].(*dialog.Menu).Choices {
		got = append(got, c.Label+": "+c.Detail)
	}
	const names = "trim_S000,trim_S001,trim_S002"
	want := []string{"nothing: ", "resume: all that failed, and what waited for it: wf resume --file pipeline.graphml",
		"3 nodes and what follows: wf run --nodes trim_S000+,trim_S001+,trim_S002+ --file pipeline.graphml", "only 3 nodes: wf run --nodes " + names + " --file pipeline.graphml"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("R offers\n%s", strings.Join(got, "\n"))
	}
	press(m, "esc", "down", "L")
	if got := selectedName(m); m.page != logPage || got != "align_S000" {
		t.Errorf("L shows page %d of %q", m.page, got)
	}
	press(m, "esc")
	if m.page != digestPage {
		t.Errorf("Esc in the log goes to page %d", m.page)
	}
	press(m, "esc")
	if m.page != mainPage {
		t.Errorf("Esc in the digest goes to page %d", m.page)
	}
}

// TestDigestShowsTheSelectedGroup: However many groups there are, the head of the selected one is on the screen.
func TestDigestShowsTheSelectedGroup(t *testing.T) {
	m := testModel(80, 12, pipeline(5))
	m.page, m.digest = digestPage, digest{run: "42", known: true}
	var like []alike.Failure
	for i := range 30 {
		name := "n" + strings.Repeat("x", i)
		m.digest.failed = append(m.digest.failed, failedNode{"id", name, "exit 1", tail.Tail{Lines: []string{"d", name + "!"}}})
		like = append(like, alike.Failure{Name: "other", Cause: "exit 1", Tail: []string{strings.Repeat("y", i+1)}})
	}
	m.digest.groups = alike.Groups(like)
	for i := range 30 {
		if got := frame(m); !strings.Contains(got, fmt.Sprintf("✗ n%s:", strings.Repeat("x", i))) {
			t.Fatalf("group %d is not visible:\n%s", i, got)
		}
		press(m, "down")
	}
	at := m.digest.At
	m.draw()
	m.digest.click(slices.IndexFunc(m.digest.lines, func(g int) bool { return g >= 0 && g != at }))
	if m.digest.At == at {
		t.Error("a click selects no other group")
	}
}
