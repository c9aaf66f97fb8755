package main

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
	"github.com/rogpeppe/go-internal/testscript"
)

// An emulator is a terminal with two screens, absolute cursor movement and scrolling regions. One goroutine writes
// while another one reads the screen. It ignores unknown sequences, as terminals do.
type emulator struct {
	mu            sync.Mutex
	width, height int
	main, other   [][]cell
	alternate     bool
	style         string // of the next characters: the parameters of CSI m since the last reset
	x, y          int
	savedX        int
	savedY        int
	top, bottom   int             // of the region that scrolls
	modes         map[string]bool // private modes that are set
	copied        string          // by OSC 52, in base64
	rest          []byte          // an incomplete sequence
	pending       bool            // the cursor is after the last column
	taken         int             // number of bytes written
}

// A cell contains a character; the cell after a wide one is empty.
type cell struct{ text, style string }

func newEmulator(width, height int) *emulator {
	c := &emulator{modes: map[string]bool{}}
	c.resize(width, height)
	return c
}

// resize changes the size. The main screen keeps its text, as far as it fits, until the program draws again. The alternate
// screen is cleared, because the program must draw it completely.
func (c *emulator) resize(width, height int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.alternate {
		c.main = nil
	}
	c.width, c.height = width, height
	c.top, c.bottom = 0, height-1
	c.main, c.other = fitted(c.main, width, height), fitted(c.other, width, height)
	c.x, c.y = min(c.x, width-1), min(c.y, height-1)
}

func fitted(rows [][]cell, width, height int) [][]cell {
	out := make([][]cell, height)
	for y := range out {
		out[y] = blankRow(width)
		if y < len(rows) {
			copy(out[y], rows[y])
		}
	}
	return out
}

func blankRow(width int) []cell {
	row := make([]cell, width)
	for i := range row {
		row[i] = cell{text: " "}
	}
	return row
}

// Write processes the output of a program.
func (c *emulator) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taken += len(p)
	data := append(c.rest, p...)
	c.rest = nil
	parser := ansi.NewParser()
	var state byte
	for len(data) > 0 {
		seq, width, n, next := ansi.DecodeSequence(data, state, parser)
		if n == len(data) && (next != ansi.NormalState || seq[0] == 0x1b && len(seq) == 1 || seq[0] >= 0x80 && width == 0) {
			c.rest = append([]byte(nil), data...) // the next write contains the rest
			break
		}
		state = next
		data = data[n:]
		c.obey(seq, width, parser)
	}
	return len(p), nil
}

// obey executes one sequence or one character.
func (c *emulator) obey(seq []byte, width int, p *ansi.Parser) {
	switch {
	case width > 0:
		c.put(string(seq), width)
	case string(seq) == "\r":
		c.x, c.pending = 0, false
	case string(seq) == "\n":
		c.down()
	case string(seq) == "\t":
		c.x, c.pending = min((c.x/8+1)*8, c.width-1), false
	case string(seq) == "\b":
		c.x = max(0, c.x-1)
	case strings.HasPrefix(string(seq), "\x1b[") && len(seq) > 2:
		c.control(string(seq[2:len(seq)-1]), seq[len(seq)-1])
	case string(seq) == "\x1bM":
		if c.y == c.top {
			c.scroll(-1, c.top)
		} else {
			c.y--
		}
	case strings.HasPrefix(string(seq), "\x1b]52;"):
		_, text, _ := strings.Cut(string(seq[5:]), ";")
		c.copied = strings.TrimRight(text, "\a\x1b\\")
	}
}

func (c *emulator) put(text string, width int) {
	if c.pending || c.x+width > c.width {
		c.x, c.pending = 0, false
		c.down()
	}
	c.main[c.y][c.x] = cell{text, c.style}
	for i := 1; i < min(width, c.width-c.x); i++ { // a character that does not fit is cut
		c.main[c.y][c.x+i] = cell{style: c.style}
	}
	if c.x += width; c.x >= c.width {
		c.x, c.pending = c.width-1, true
	}
}

func (c *emulator) down() {
	if c.y == c.bottom {
		c.scroll(1, c.top)
	} else if c.y < c.height-1 {
		c.y++
	}
}

// scroll moves the rows from row from to the end of the region up by n, or down.
func (c *emulator) scroll(n, from int) {
	if from > c.bottom {
		return
	}
	for ; n > 0; n-- {
		copy(c.main[from:c.bottom+1], c.main[from+1:c.bottom+1])
		c.main[c.bottom] = blankRow(c.width)
	}
	for ; n < 0; n++ {
		copy(c.main[from+1:c.bottom+1], c.main[from:c.bottom])
		c.main[from] = blankRow(c.width)
	}
}

// control executes the sequence CSI params final.
func (c *emulator) control(params string, final byte) {
	if final == 'h' || final == 'l' {
		for _, mode := range strings.Split(strings.TrimPrefix(params, "?"), ";") {
			c.mode(mode, final == 'h')
		}
		return
	}
	if strings.ContainsAny(params, "?<>=$ !") {
		return // queries, and sequences about keys
	}
	first, second, _ := strings.Cut(params, ";")
	a, b := parameter(first), parameter(second)
	n := max(a, 1)
	c.pending = c.pending && final == 'm'
	switch final {
	case 'A':
		c.y -= n
	case 'B', 'e':
		c.y += n
	case 'C', 'a':
		c.x += n
	case 'D':
		c.x -= n
	case 'Z': // back by n tabs
		for ; n > 0; n-- {
			c.x = max(0, (c.x-1)/8*8)
		}
	case 'I':
		c.x = (c.x/8 + n) * 8
	case 'G', '`':
		c.x = n - 1
	case 'd':
		c.y = n - 1
	case 'H', 'f':
		c.y, c.x = n-1, max(b, 1)-1
	case 'r':
		c.top, c.bottom, c.x, c.y = min(n, c.height)-1, c.height-1, 0, 0
		if b > 0 {
			c.bottom = min(b, c.height) - 1
		}
	case 'm':
		c.restyle(params)
	default:
		c.change(a, n, final)
	}
	c.x, c.y = min(max(c.x, 0), c.width-1), min(max(c.y, 0), c.height-1)
}

// restyle applies the parameters of CSI m. A style is the list of parameters since the last reset.
func (c *emulator) restyle(params string) {
	if reset := strings.TrimPrefix(params, "0"); reset == "" || reset[0] == ';' {
		c.style, params = "", strings.TrimPrefix(reset, ";")
	}
	if params != "" {
		c.style = strings.TrimPrefix(c.style+";"+params, ";")
	}
}

// change executes the sequences that change cells.
func (c *emulator) change(a, n int, final byte) {
	row := c.main[c.y]
	switch final {
	case 'J':
		if a == 2 {
			c.main = fitted(nil, c.width, c.height)
			return
		}
		copy(row[c.x:], blankRow(c.width))
		for y := c.y + 1; y < c.height; y++ {
			c.main[y] = blankRow(c.width)
		}
	case 'K':
		switch a {
		case 1:
			copy(row[:c.x+1], blankRow(c.width))
		case 2:
			copy(row, blankRow(c.width))
		default:
			copy(row[c.x:], blankRow(c.width))
		}
	case 'X':
		copy(row[c.x:min(c.x+n, c.width)], blankRow(c.width))
	case 'P':
		c.main[c.y] = append(row[:c.x:c.x], append(append([]cell{}, row[min(c.x+n, c.width):]...), blankRow(min(n, c.width-c.x))...)...)
	case '@':
		c.main[c.y] = append(append(row[:c.x:c.x], blankRow(n)...), row[c.x:]...)[:c.width]
	case 'L':
		c.scroll(-n, c.y)
	case 'M':
		c.scroll(n, c.y)
	case 'S':
		c.scroll(n, c.top)
	case 'T':
		c.scroll(-n, c.top)
	}
}

// mode sets or resets a private mode; 1049 changes screens.
func (c *emulator) mode(mode string, on bool) {
	c.modes[mode] = on
	if mode != "1049" || on == c.alternate {
		return
	}
	if c.alternate = on; on {
		c.savedX, c.savedY = c.x, c.y
		c.main, c.other = fitted(nil, c.width, c.height), c.main
	} else {
		c.main = c.other
		c.x, c.y = c.savedX, c.savedY
	}
}

func parameter(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// text returns the text on the screen.
func (c *emulator) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var lines []string
	for _, row := range c.main {
		var line strings.Builder
		for _, c := range row {
			line.WriteString(c.text)
		}
		lines = append(lines, strings.TrimRight(line.String(), " "))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
}

// cmdSee waits until the screen of a program shows a pattern, or no longer shows it: "see t 'run 1 ok'", "! see t menu".
func cmdSee(ts *testscript.TestScript, neg bool, args []string) {
	w := sandboxOf(ts, false, args, 2, 2, "[!] see NAME PATTERN")
	c := w.started[args[0]].emulator
	pattern := regexp.MustCompile("(?m)" + args[1])
	if !await(func() bool { return pattern.MatchString(c.text()) != neg }) {
		ts.Fatalf("no match in time for %q (negated: %v) on the screen:\n%s\n%s", pattern, neg, c.text(), w.daemonLog())
	}
}

// cmdRestored fails if a program has not restored the modes of its terminal.
func cmdRestored(ts *testscript.TestScript, neg bool, args []string) {
	w := sandboxOf(ts, neg, args, 1, 1, "restored NAME")
	c := w.started[args[0]].emulator
	c.mu.Lock()
	defer c.mu.Unlock()
	for mode, on := range c.modes {
		if usual := mode == "25" || mode == "7"; on != usual && mode != "2026" {
			ts.Fatalf("the terminal is left with mode %s: %v", mode, on)
		}
	}
	checkModes(ts, w.started[args[0]].tty)
}
