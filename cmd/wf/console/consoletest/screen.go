// Package consoletest checks what a program draws on a terminal.
package consoletest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// A Screen is a terminal of the kind that progress is drawn on: it obeys what a region says and
// panics at anything else, which would be a bug or an escape sequence that got through.
type Screen struct {
	Width, height int
	rows          [][]string // cells, from the first row ever; the last height ones are visible
	top           int        // first visible row
	X, y          int        // y counts from the first row ever
	NoWrap        bool
	Hidden        bool // the cursor
	Frames        int  // synchronized updates
}

// NewScreen returns an empty screen.
func NewScreen(width, height int) *Screen {
	return &Screen{Width: width, height: height, rows: [][]string{nil}}
}

// Write takes what a program writes. A sequence may not be cut by the borders of writes.
func (s *Screen) Write(p []byte) (int, error) {
	var state byte
	for rest := p; len(rest) > 0; {
		seq, width, n, next := ansi.DecodeSequence(rest, state, nil)
		state, rest = next, rest[n:]
		switch text := string(seq); {
		case width > 0:
			s.put(text, width)
		case text == "\n":
			s.X = 0 // as the kernel's output processing makes of it
			s.down()
		case text == "\r":
			s.X = 0
		case strings.HasPrefix(text, "\x1b["):
			s.obey(text[2:len(text)-1], text[len(text)-1])
		default:
			panic(fmt.Sprintf("the terminal got %q", text))
		}
	}
	return len(p), nil
}

func (s *Screen) put(text string, width int) {
	if s.X+width > s.Width {
		if s.NoWrap {
			s.X = s.Width - width
		} else {
			s.X = 0
			s.down()
		}
	}
	row := s.rows[s.y]
	for len(row) < s.X+width {
		row = append(row, " ")
	}
	row[s.X] = text
	for i := 1; i < width; i++ {
		row[s.X+i] = ""
	}
	s.rows[s.y] = row
	s.X += width
}

func (s *Screen) down() {
	if s.y++; s.y == len(s.rows) {
		s.rows = append(s.rows, nil)
	}
	s.top = max(s.top, len(s.rows)-s.height)
}

// obey does what the control sequence with these parameters and final byte says.
func (s *Screen) obey(params string, final byte) {
	switch final {
	case 'm':
	case 'A':
		n, _ := strconv.Atoi(params)
		s.y = max(s.top, s.y-max(n, 1))
	case 'K':
		s.rows[s.y] = s.rows[s.y][:min(s.X, len(s.rows[s.y]))]
	case 'J':
		s.rows[s.y] = s.rows[s.y][:min(s.X, len(s.rows[s.y]))]
		for y := s.y + 1; y < len(s.rows); y++ {
			s.rows[y] = nil
		}
	case 'h', 'l':
		switch on := final == 'h'; params {
		case "?7":
			s.NoWrap = !on
		case "?25":
			s.Hidden = !on
		case "?2026":
			if on {
				s.Frames++
			}
		default:
			panic("unknown mode " + params)
		}
	default:
		panic(fmt.Sprintf("unknown sequence %q%c", params, final))
	}
}

// Text is everything from the first row on, without empty rows at the end.
func (s *Screen) Text() string {
	var lines []string
	for _, row := range s.rows {
		lines = append(lines, strings.TrimRight(strings.Join(row, ""), " "))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
}
