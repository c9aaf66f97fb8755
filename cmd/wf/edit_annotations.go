package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"wf/cmd/wf/definition"
	"wf/tui/plain"
	"wf/tui/words"
)

// annotations are the comments that wf put into a text for the editor.
type annotations struct{ lines map[string]bool }

// add puts a comment above the line of each mistake, and a summary above all. The comments name the lines of the result.
func (a *annotations) add(data []byte, mistakes []definition.Mistake) []byte {
	a.lines = map[string]bool{}
	lines := strings.SplitAfter(string(data), "\n")
	var b bytes.Buffer
	written := 0
	comment := func(indent, text string) {
		line := indent + "#wf: " + plain.Line(text)
		a.lines[line] = true
		b.WriteString(line + "\n")
		written++
	}
	comment("", words.Plural(len(mistakes), "mistake")+": nothing was saved. Correct what the comments below say, or remove all text to give up.")
	for i, line := range lines {
		first := slices.IndexFunc(mistakes, func(m definition.Mistake) bool { return min(m.Line, len(lines)) == i+1 })
		if first >= 0 {
			here := 0
			for _, m := range mistakes[first:] {
				if min(m.Line, len(lines)) == i+1 {
					here++
				}
			}
			indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
			for k, m := range mistakes[first : first+here] {
				comment(strings.TrimRight(indent, "\n"), fmt.Sprintf("line %d, column %d: %s", written+here-k+i+1, m.Column, m.Message))
			}
		}
		b.WriteString(line)
	}
	return b.Bytes()
}

// strip removes the comments that add put into the text.
func (a *annotations) strip(data []byte) []byte {
	if len(a.lines) == 0 {
		return data
	}
	var b bytes.Buffer
	for line := range strings.Lines(string(data)) {
		if !a.lines[strings.TrimRight(line, "\r\n")] {
			b.WriteString(line)
		}
	}
	return b.Bytes()
}
