// Package jsonline reads and writes the frequent lines of JSON without encoding/json, at about a tenth of its cost:
// journals, runner logs, the lines between daemon and runner, and events. A Scanner understands only the form in which
// this program writes JSON; for any other line its callers use encoding/json.
package jsonline

import (
	"bytes"
	"math"
	"time"
	"unicode/utf8"
)

// A Scanner reads JSON without blanks, escapes, fractions and exponents. Its methods return false if the rest does not
// begin with the value that they read; the rest is then undefined. The zero Scanner has nothing to read.
type Scanner struct{ rest []byte }

// NewScanner returns a Scanner of data, which must not change while it is used.
func NewScanner(data []byte) Scanner { return Scanner{data} }

// ReadObject reads an object that is the whole line, and calls member for each of its keys, to read the value.
func ReadObject(line []byte, member func(key []byte, s *Scanner) bool) bool {
	s := NewScanner(line)
	return s.Object(member) && s.Done()
}

// Done reports whether nothing is left.
func (s *Scanner) Done() bool { return len(s.rest) == 0 }

// Object reads an object and calls member for each of its keys, to read the value.
func (s *Scanner) Object(member func(key []byte, s *Scanner) bool) bool {
	for open := byte('{'); s.Byte(open); open = ',' {
		key, ok := s.Quoted()
		if !ok || !s.Byte(':') || !member(key, s) {
			return false
		}
		if s.Byte('}') {
			return true
		}
	}
	return false
}

// Byte skips b.
func (s *Scanner) Byte(b byte) bool {
	if len(s.rest) == 0 || s.rest[0] != b {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

// Word skips text.
func (s *Scanner) Word(text string) bool {
	if len(s.rest) < len(text) || string(s.rest[:len(text)]) != text {
		return false
	}
	s.rest = s.rest[len(text):]
	return true
}

// Quoted reads a string. The result is part of the data of the Scanner.
func (s *Scanner) Quoted() ([]byte, bool) {
	if !s.Byte('"') {
		return nil, false
	}
	end := bytes.IndexByte(s.rest, '"')
	if end < 0 {
		return nil, false
	}
	text := s.rest[:end]
	all := byte(0)
	for _, c := range text {
		if c < ' ' || c == '\\' {
			return nil, false
		}
		all |= c
	}
	if all >= utf8.RuneSelf && !utf8.Valid(text) {
		return nil, false
	}
	s.rest = s.rest[end+1:]
	return text, true
}

// Text reads a string.
func (s *Scanner) Text(into *string) bool {
	text, ok := s.Quoted()
	*into = string(text)
	return ok
}

// True reads true. False is never written.
func (s *Scanner) True(into *bool) bool {
	*into = s.Word("true")
	return *into
}

// Time reads a time in the form of RFC 3339.
func (s *Scanner) Time(into *time.Time) bool {
	text, ok := s.Quoted()
	return ok && into.UnmarshalText(text) == nil
}

// Int reads an integer.
func (s *Scanner) Int(into *int) bool {
	var n int64
	ok := s.Int64(&n) && n >= math.MinInt && n <= math.MaxInt
	*into = int(n)
	return ok
}

// Int64 reads an integer.
func (s *Scanner) Int64(into *int64) bool {
	negative := s.Byte('-')
	var n uint64
	if !s.Uint64(&n) || n > math.MaxInt64 {
		return false
	}
	*into = int64(n)
	if negative {
		*into = -*into
	}
	return true
}

// Uint64 reads an integer without a sign, of at most 19 digits, which always fit.
func (s *Scanner) Uint64(into *uint64) bool {
	const digits = 19
	n, length := uint64(0), 0
	for length < len(s.rest) && length <= digits && '0' <= s.rest[length] && s.rest[length] <= '9' {
		n = 10*n + uint64(s.rest[length]-'0')
		length++
	}
	if length == 0 || length > digits || s.rest[0] == '0' && length > 1 {
		return false
	}
	s.rest = s.rest[length:]
	*into = n
	return true
}
