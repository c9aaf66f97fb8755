package remote

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// modes are the modes of the terminal that a command on another machine has changed and not yet restored. They are undone for
// it when the connection is lost.
type modes struct {
	changed map[int]bool // by number: now set or reset
	rest    []byte       // the beginning of a sequence that the next output continues
}

// usuallySet are the modes that terminals have: line wrapping and a visible cursor.
var usuallySet = map[int]bool{7: true, 25: true}

// longestSequence limits the length of a sequence that is followed, in bytes.
const longestSequence = 32

// follow looks for sequences in output, such as ESC [ ? 25 l.
func (m *modes) follow(out []byte) {
	text := append(m.rest, out...)
	m.rest = nil
	for {
		at := bytes.IndexByte(text, 0x1b)
		if at < 0 {
			return
		}
		text = text[at:]
		n := 1
		for n < len(text) && (n == 1 && text[n] == '[' || n == 2 && text[n] == '?' || n > 2 && (text[n] == ';' || text[n] >= '0' && text[n] <= '9')) {
			n++
		}
		if n == len(text) {
			if n < longestSequence {
				m.rest = bytes.Clone(text)
			}
			return
		}
		if n > 3 && (text[n] == 'h' || text[n] == 'l') {
			m.set(text[3:n], text[n] == 'h')
		}
		text = text[n:]
	}
}

// set notes modes, whose numbers are separated by semicolons.
func (m *modes) set(numbers []byte, on bool) {
	if m.changed == nil {
		m.changed = map[int]bool{}
	}
	for text := range bytes.SplitSeq(numbers, []byte{';'}) {
		number, err := strconv.Atoi(string(text))
		switch {
		case err != nil:
		case usuallySet[number] == on:
			delete(m.changed, number)
		default:
			m.changed[number] = on
		}
	}
}

// undo returns the output that restores the terminal, begins a new line and clears what is below: rows that were redrawn.
func (m *modes) undo() []byte {
	var out []byte
	for _, number := range slices.Sorted(maps.Keys(m.changed)) {
		end := 'h'
		if m.changed[number] {
			end = 'l'
		}
		out = fmt.Appendf(out, "\x1b[?%d%c", number, end)
	}
	return append(out, "\x1b[m\r\n\x1b[J"...)
}
