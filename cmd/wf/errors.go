package main

import (
	"errors"
	"fmt"
	"strings"

	"wf/api"
	"wf/client"
	"wf/tui/plain"
	"wf/tui/words"
)

// A failure is an error found on this side of the wire, in the four parts of every message:
// what, where, why, and the command that mends it. All but what may be empty.
type failure struct {
	status                int
	what, where, why, fix string
}

func (f *failure) Error() string { return f.what }

// usage is a failure of the caller: exit status 2.
func usage(format string, args ...any) *failure {
	return &failure{status: exitUsage, what: fmt.Sprintf(format, args...)}
}

// exitError ends the program with a status when everything has been said already.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// exit is exitError, or nil for status 0.
func exit(status int) error {
	if status == exitOK {
		return nil
	}
	return exitError(status)
}

// A runConflict is the refusal of a run because another one has some of its nodes. It is apart
// from other conflicts because scripts wait for it: it has an exit status of its own.
type runConflict struct{ err *api.Error }

func (c *runConflict) Error() string { return c.err.Error() }

func (c *runConflict) Unwrap() error { return c.err }

// asConflict marks the conflict that a new run met.
func asConflict(err error) error {
	var refused *api.Error
	if isCode(err, api.CodeConflict) && errors.As(err, &refused) {
		return &runConflict{refused}
	}
	return err
}

// isCode says whether the daemon answered with code.
func isCode(err error, code api.Code) bool {
	var refused *api.Error
	return errors.As(err, &refused) && refused.Code == code
}

// printError writes err as one block to standard error, the line to act on last.
func printError(e *env, err error) {
	var ended exitError
	if err == nil || errors.As(err, &ended) {
		return
	}
	if e.jsonErrors {
		printErrorJSON(e, err)
		return
	}
	p := e.ErrPaint()
	f := drawCycle(p, err, e.foreign(describe(err)))
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", p.Bad("error:"), indent(f.what))
	for _, part := range []string{f.where, f.why} {
		if part != "" {
			fmt.Fprintf(&b, "  %s\n", indent(part))
		}
	}
	if f.fix != "" {
		fmt.Fprintf(&b, "%s %s\n", p.Strong("fix:"), indent(e.adviseFile(f.fix)))
	}
	fmt.Fprint(e.Stderr, harmless(e.ciSystem("auto"), b.String()))
}

// describe gives any error its four parts.
func describe(err error) failure {
	var (
		found       *failure
		refused     *api.Error
		unreachable *client.UnreachableError
		exposed     *client.ExposedError
	)
	switch {
	case errors.As(err, &found):
		return *found
	case errors.As(err, &refused):
		return failure{what: refused.Message, where: refused.Where, why: refused.Why, fix: refused.Fix}
	case errors.As(err, &exposed):
		return failure{what: err.Error(), fix: "chmod 600 " + words.Quote(exposed.Path)}
	case errors.As(err, &unreachable):
		return failure{what: err.Error(), fix: "wf server logs"}
	}
	return failure{what: err.Error()}
}

// indent makes text from anywhere safe to print and keeps its further lines inside the block.
func indent(text string) string {
	return strings.ReplaceAll(strings.TrimRight(plain.Text(text), "\n"), "\n", "\n  ")
}
