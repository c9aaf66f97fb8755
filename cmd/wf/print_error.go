package main

import (
	"errors"
	"fmt"
	"strings"

	"wf/cmd/wf/ci"
	"wf/cmd/wf/exit"
	"wf/tui/plain"
)

// printError writes err as one block to standard error. The fix is the last line.
func printError(e *env, err error) {
	var ended exit.Error
	if err == nil || errors.As(err, &ended) {
		return
	}
	if e.jsonErrors {
		printErrorJSON(e, err)
		return
	}
	p := e.ErrPaint()
	f := drawCycle(p, err, e.explainFormat(exit.Describe(err)))
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", p.Bad("error:"), indent(f.What))
	for _, part := range []string{f.Where, f.Why} {
		if part != "" {
			fmt.Fprintf(&b, "  %s\n", indent(part))
		}
	}
	if f.Fix != "" {
		fmt.Fprintf(&b, "%s %s\n", p.Strong("fix:"), indent(advise(e, f.Fix)))
	}
	fmt.Fprint(e.Stderr, ci.Harmless(ci.Detect(e.Get, "auto"), b.String()))
}

// indent removes control sequences from text and indents its further lines.
func indent(text string) string {
	return strings.ReplaceAll(strings.TrimRight(plain.Text(text), "\n"), "\n", "\n  ")
}
