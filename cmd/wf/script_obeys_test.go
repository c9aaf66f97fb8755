package main

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"
)

// ownSequences matches the escape sequences that the terminal interface uses, including the title of the window and the
// clipboard.
var ownSequences = regexp.MustCompile(`^\x1b(\[[0-9;]{0,12}[A-HJ-MPSTXZ@bdefr` + "`" + `]` + // movement, erasing, scrolling
	`|\[[0-9;:]*m` + // colours
	`|\[\?(1|7|25|1000|1002|1003|1006|1049|2004|2026|2027|2048)[hl]` + // modes
	`|\[\?(2026|2027|2048)\$p|\[\?u|\[[>=<][0-9;]*[um]|\[\?4m` + // questions, keyboards
	`|\]11;\?\x07` + // the question for the background
	`|\]2;(wf[^\x07\x1b]*)?\x07|\]52;c;[A-Za-z0-9+/=]*\x07|M|7|8|=|>|\[\?5W|\[[0-9]* q)`)

// cmdObeys fails if the output of a program on its terminal contains other escape sequences, texts of a node or a paste
// in a sequence, control characters, bidirectional marks, or invalid characters.
func cmdObeys(ts *testscript.TestScript, neg bool, args []string) {
	sandboxOf(ts, neg, args, 1, 1, "obeys NAME")
	text := ts.ReadFile(args[0] + ".tty")
	for at := 0; at < len(text); {
		rest := text[at:]
		if rest[0] == 0x1b {
			seq := ownSequences.FindString(rest)
			if seq == "" || strings.Contains(seq, "7777") || strings.Contains(seq, "owned") || strings.Contains(seq, "b3duZWQ") {
				ts.Fatalf("at byte %d it writes %q, after %q", at, rest[:min(len(rest), 60)], text[max(0, at-80):at])
			}
			at += len(seq)
			continue
		}
		r, size := utf8.DecodeRuneInString(rest)
		if r == utf8.RuneError && size == 1 || obeyed(r) && !strings.ContainsRune("\r\b", r) {
			ts.Fatalf("at byte %d it writes %q, after %q", at, rest[:min(len(rest), 60)], text[max(0, at-80):at])
		}
		at += size
	}
}
