package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// A screen is a terminal of the kind that progress is drawn on: it obeys what a region says and
// panics at anything else, which would be a bug or an escape sequence that got through.
type screen struct {
	width, height int
	rows          [][]string // cells, from the first row ever; the last height ones are visible
	top           int        // first visible row
	x, y          int        // y counts from the first row ever
	noWrap        bool
	hidden        bool // the cursor
	frames        int  // synchronized updates
}

func newScreen(width, height int) *screen {
	return &screen{width: width, height: height, rows: [][]string{nil}}
}

// Write takes what a program writes. A sequence may not be cut by the borders of writes.
func (s *screen) Write(p []byte) (int, error) {
	var state byte
	for rest := p; len(rest) > 0; {
		seq, width, n, next := ansi.DecodeSequence(rest, state, nil)
		state, rest = next, rest[n:]
		switch text := string(seq); {
		case width > 0:
			s.put(text, width)
		case text == "\n":
			s.x = 0 // as the kernel's output processing makes of it
			s.down()
		case text == "\r":
			s.x = 0
		case strings.HasPrefix(text, "\x1b["):
			s.obey(text[2:len(text)-1], text[len(text)-1])
		default:
			panic(fmt.Sprintf("the terminal got %q", text))
		}
	}
	return len(p), nil
}

func (s *screen) put(text string, width int) {
	if s.x+width > s.width {
		if s.noWrap {
			s.x = s.width - width
		} else {
			s.x = 0
			s.down()
		}
	}
	row := s.rows[s.y]
	for len(row) < s.x+width {
		row = append(row, " ")
	}
	row[s.x] = text
	for i := 1; i < width; i++ {
		row[s.x+i] = ""
	}
	s.rows[s.y] = row
	s.x += width
}

func (s *screen) down() {
	if s.y++; s.y == len(s.rows) {
		s.rows = append(s.rows, nil)
	}
	s.top = max(s.top, len(s.rows)-s.height)
}

// obey does what the control sequence with these parameters and final byte says.
func (s *screen) obey(params string, final byte) {
	switch final {
	case 'm':
	case 'A':
		n, _ := strconv.Atoi(params)
		s.y = max(s.top, s.y-max(n, 1))
	case 'K':
		s.rows[s.y] = s.rows[s.y][:min(s.x, len(s.rows[s.y]))]
	case 'J':
		s.rows[s.y] = s.rows[s.y][:min(s.x, len(s.rows[s.y]))]
		for y := s.y + 1; y < len(s.rows); y++ {
			s.rows[y] = nil
		}
	case 'h', 'l':
		switch on := final == 'h'; params {
		case "?7":
			s.noWrap = !on
		case "?25":
			s.hidden = !on
		case "?2026":
			if on {
				s.frames++
			}
		default:
			panic("unknown mode " + params)
		}
	default:
		panic(fmt.Sprintf("unknown sequence %q%c", params, final))
	}
}

// text is everything from the first row on, without empty rows at the end.
func (s *screen) text() string {
	var lines []string
	for _, row := range s.rows {
		lines = append(lines, strings.TrimRight(strings.Join(row, ""), " "))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
}
