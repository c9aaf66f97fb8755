package plain

import (
	"strconv"
	"strings"
)

// maxSGR is the maximum length of the parameters of a color, in bytes: three times that of real ones.
const maxSGR = 64

// beginCSI starts a control sequence.
func (s *Writer) beginCSI() {
	s.state = inCSI
	s.params = s.params[:0]
}

// color writes the parsed color: always its numbers, never the original bytes.
func (s *Writer) color() {
	codes, ok := parseSGR(string(s.params))
	if !ok || len(codes) == 0 {
		return
	}
	s.out = append(s.out, "\x1b["...)
	for i, code := range codes {
		if i > 0 {
			s.out = append(s.out, ';')
		}
		s.out = strconv.AppendInt(s.out, int64(code), 10)
	}
	s.out = append(s.out, 'm')
	s.colored = codes[len(codes)-1] != 0
}

// parseSGR parses the parameters of an SGR sequence: attributes and colors. It omits hidden text (8), blinking (5, 6)
// and unknown ones. ok is false if it is not an SGR sequence.
func parseSGR(params string) (codes []int, ok bool) {
	fields := strings.FieldsFunc(strings.ReplaceAll(params, ":", ";")+";", func(r rune) bool { return r == ';' })
	if len(fields) == 0 {
		return []int{0}, strings.Trim(params, ";") == "" // ESC [ m
	}
	for i := 0; i < len(fields); i++ {
		n, err := strconv.Atoi(fields[i])
		if err != nil || n < 0 {
			return nil, false
		}
		switch {
		case n == 38 || n == 48:
			color, used := extendedColor(fields[i+1:])
			if used == 0 {
				return codes, len(codes) > 0
			}
			codes = append(append(codes, n), color...)
			i += used
		case n <= 4, n == 7, n == 9, n >= 21 && n <= 29, n >= 30 && n <= 49, n >= 90 && n <= 107:
			codes = append(codes, n)
		}
	}
	return codes, true
}

// extendedColor parses "5;N" or "2;R;G;B" and returns the number of fields it used, 0 if the text is anything else.
func extendedColor(fields []string) (codes []int, used int) {
	want := 0
	switch {
	case len(fields) > 0 && fields[0] == "5":
		want = 2
	case len(fields) > 0 && fields[0] == "2":
		want = 4
	}
	if want == 0 || len(fields) < want {
		return nil, 0
	}
	for _, field := range fields[:want] {
		n, err := strconv.Atoi(field)
		if err != nil || n < 0 || n > 255 {
			return nil, 0
		}
		codes = append(codes, n)
	}
	return codes, want
}
