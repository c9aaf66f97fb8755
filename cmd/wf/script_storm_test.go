package main

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"
)

// The sizes of a storm.
const (
	stormWidth  = 300
	stormHeight = 100
	calmEvery   = 8 // changes of the size between two checks of the screen
)

// cmdStorm changes the size of the terminal of a program many times, from 1x1 to 300x100, and checks that the program
// continues drawing: "storm r 200 7" is 200 random sizes from the seed 7.
func cmdStorm(ts *testscript.TestScript, neg bool, args []string) {
	w := sandboxOf(ts, neg, args, 3, 3, "storm NAME COUNT SEED")
	count, err := strconv.Atoi(args[1])
	ts.Check(err)
	seed, err := strconv.ParseUint(args[2], 10, 64)
	ts.Check(err)
	s, random := w.started[args[0]], rand.New(rand.NewPCG(seed, 0))
	for i := range count {
		size := pty.Winsize{Cols: uint16(1 + random.IntN(stormWidth)), Rows: uint16(1 + random.IntN(stormHeight))}
		switch i % calmEvery {
		case 1:
			size = pty.Winsize{Cols: 1, Rows: 1}
		case 2:
			size = pty.Winsize{Cols: stormWidth, Rows: stormHeight}
		case 3:
			size.Cols = 1 + size.Cols%4
		}
		before := s.emulator.bytes()
		s.emulator.resize(int(size.Cols), int(size.Rows))
		ts.Check(pty.Setsize(s.tty, &size))
		if i%calmEvery == 0 && !await(func() bool { return s.emulator.bytes() > before || s.over() }) {
			ts.Fatalf("nothing is drawn at %dx%d:\n%s", size.Cols, size.Rows, s.emulator.text())
		}
		if s.over() {
			ts.Fatalf("it has ended at %dx%d: %v", size.Cols, size.Rows, s.err)
		}
	}
}

// over reports whether a program has ended.
func (s *started) over() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// bytes returns the number of bytes written.
func (c *emulator) bytes() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.taken
}

// pasted is the text of a paste; it contains a line end and control sequences.
const pasted = "samtools sort -o größe.bam \x1b[31m\x1b]52;c;b3duZWQ=\x07\u009b\u202e名前\tand\r\n"

// cmdPaste pastes about the given number of bytes into a program, as a bracketed paste or, with keys, as typed letters, like
// terminals without bracketed paste: "paste r 1000000 keys".
func cmdPaste(ts *testscript.TestScript, neg bool, args []string) {
	w := sandboxOf(ts, neg, args, 2, 3, "paste NAME BYTES [keys]")
	size, err := strconv.Atoi(args[1])
	ts.Check(err)
	text := "\x1b[200~" + strings.Repeat(pasted, size/len(pasted)+1) + "\x1b[201~"
	if len(args) == 3 {
		text = strings.Repeat("samtools sort ", size/14+1)
	}
	s, written := w.started[args[0]], make(chan error, 1)
	go func() {
		_, err := s.tty.WriteString(text)
		written <- err
	}()
	if !await(func() bool { return len(written) > 0 }) {
		ts.Fatalf("the paste is not accepted:\n%s", s.emulator.text())
	}
	ts.Check(<-written)
}

// hostileOutput contains outputs of commands that a terminal must not interpret: escape sequences of all kinds, complete and
// truncated, as text and as raw bytes, and texts that are too wide, too high or too long.
var hostileOutput = []string{
	"title \x1b]0;owned\x07\x1b]2;owned\x1b\\ end", "clipboard \x1b]52;c;b3duZWQ=\x07 end", "link \x1b]8;;http://owned\x1b\\text\x1b]8;;\x1b\\ end",
	"screens \x1b[?1049h\x1b[?1049l\x1b[?7777h\x1b[?7777l end", "cursor \x1b[7777;7777H\x1b[7777A\x1b[7777;77r end", "wiped \x1b[2J\x1b[3J\x1bc end",
	"strings \x1bPowned\x1b\\\x1b_owned\x1b\\\x1b^owned\x1b\\\x1bXowned\x1b\\ end", "8 bit \u009b7777h\u009d0;owned\u009c\u0090owned\u009c end",
	"raw 8 bit \x9b7777h\x9d0;owned\x9c\x90owned\x9c end", "charset \x1b(0\x1b)0\x0e\x0f\x1b%G\x1bN\x1bO end", "questions \x1b[c\x1b[6n\x1b[>c\x1b[x\x1b]11;?\x07\x05 end",
	"keys \x1b[>4;2m\x1b[=1u\x1b[>7777u\x1b[<u\x1b[?2026h end", "colours \x1b[31mred\x1b[7777m\x1b[38;5;300m\x1b[38:2::1:2:3m\x1b[1;2;3;4;5;6;7;8;9m all end",
	"bidi \u202eback\u202d \u2066in\u2069 \u061c\u200e\u200f end", "wide 名前が長い 👩‍👩‍👧 🇩🇪🇫🇷 ﷺ end", "marks e" + strings.Repeat("\u0301", 300) + " end",
	"zero a\u200bb\ufeffc\u00add end", "controls \x00\x01\x02\x04\x06\x07\x08\x0b\x0c\x10\x1a\x7f end", "invalid \xff\xfe\xc3\x28\xe2\x82\xf0\x9f\x92 end",
	"progress 10%\r50%\r100%", "tabs\t\tand\t\ttabs end", "long " + strings.Repeat("x", 200_000) + " end", "many " + strings.Repeat("\x1b[31m", 20_000) + " end",
	"cut \x1b[", "cut \x1b]0;owned", "cut \x1bPowned", "cut \xe2\x82",
}

// hostileNames are names of nodes and groups.
var hostileNames = []string{"c1\u009b31m\u009d0;owned\u009c", "bidi\u202ekcab\u2066in", "名前が長いノード👩‍👩‍👧🇩🇪", "mark" + strings.Repeat("\u0301", 60), "zero\u200bwidth\ufeff",
	"long" + strings.Repeat("_name", 60), "two\nlines\tand a tab", "\u00a0 \u3000"}

// cmdHostile writes a workfile with hostile names, a chain whose commands print hostile output and whose last one fails.
func cmdHostile(ts *testscript.TestScript, neg bool, args []string) {
	sandboxOf(ts, neg, args, 1, 1, "hostile FILE")
	ts.Check(os.WriteFile(ts.MkAbs("corpus"), []byte(strings.Join(hostileOutput, "\n")), 0o600))
	data := func(key, value string) string { return "<data key=\"" + key + "\">" + value + "</data>" }
	var b strings.Builder
	b.WriteString(markupHead)
	for i, name := range hostileNames {
		command := "cat corpus; cat corpus &gt;&amp;2 # \u009b31m\u202e"
		if i == len(hostileNames)-1 {
			command += "&#10;exit 1"
		}
		id := "n" + strconv.Itoa(i)
		b.WriteString("<node id=\"" + id + "\u009b\">" + data("name", name) + data("label", command) + data("group", name+"\u202e") + "</node>")
	}
	for i := 1; i < len(hostileNames); i++ {
		b.WriteString("<edge source=\"n" + strconv.Itoa(i-1) + "\u009b\" target=\"n" + strconv.Itoa(i) + "\u009b\"/>")
	}
	b.WriteString(data("wrapper", "sh -c '{}'") + "</graph></graphml>")
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(b.String()), 0o600))
}
