package graphml

import (
	"encoding/binary"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// flaws are the defects of a value. The value stays in the file as it is.
type flaws uint8

const (
	controlCharacter flaws = 1 << iota // has characters that XML forbids
	unknownEntity                      // uses an entity: those of a DOCTYPE are never expanded
)

// decodeValue returns the text of the content of a <data>: references and CDATA sections resolved,
// comments and processing instructions left out, line ends as \n. With an unknown entity the text is
// not usable.
func decodeValue(raw string) (string, flaws) {
	special, found := classify(raw)
	if !special {
		return raw, found
	}
	var b strings.Builder
	b.Grow(len(raw))
	for i := 0; i < len(raw); {
		switch raw[i] {
		case '&':
			n, ok := reference(&b, raw[i:])
			if !ok {
				return raw, found | unknownEntity
			}
			i += n
		case '<':
			i += section(&b, raw[i:])
		case '\r':
			b.WriteByte('\n')
			if i++; i < len(raw) && raw[i] == '\n' {
				i++
			}
		default:
			b.WriteByte(raw[i])
			i++
		}
	}
	if !isText(b.String()) {
		found |= controlCharacter
	}
	return b.String(), found
}

// section decodes the markup at the start of raw inside a value and returns its length. The scanner
// has checked that the markup is complete.
func section(b *strings.Builder, raw string) int {
	const open, shut = "<![CDATA[", "]]>"
	if text, ok := strings.CutPrefix(raw, open); ok {
		text, _, _ = strings.Cut(text, shut)
		b.WriteString(unixLines(text))
		return len(open) + len(text) + len(shut)
	}
	head, mark := "<?", "?>"
	if strings.HasPrefix(raw, "<!--") {
		head, mark = "<!--", "-->"
	}
	n := strings.Index(raw[len(head):], mark)
	return len(head) + n + len(mark)
}

func unixLines(text string) string {
	if strings.IndexByte(text, '\r') < 0 {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// reference resolves the reference at the start of raw and returns its length.
func reference(b *strings.Builder, raw string) (int, bool) {
	end := strings.IndexByte(raw, ';')
	if end < 0 {
		return 0, false
	}
	switch name := raw[1:end]; name {
	case "lt":
		b.WriteByte('<')
	case "gt":
		b.WriteByte('>')
	case "amp":
		b.WriteByte('&')
	case "quot":
		b.WriteByte('"')
	case "apos":
		b.WriteByte('\'')
	default:
		digits, base := strings.TrimPrefix(name, "#"), 10
		if digits == name {
			return 0, false
		}
		if digits != "" && digits[0] == 'x' {
			digits, base = digits[1:], 16
		}
		code, err := strconv.ParseUint(digits, base, 32)
		if err != nil || !utf8.ValidRune(rune(code)) {
			return 0, false
		}
		b.WriteRune(rune(code))
	}
	return end + 1, true
}

// classify reports whether a value needs decoding (special) and whether it has control characters. It
// checks eight bytes at a time.
func classify(raw string) (special bool, found flaws) {
	i := 0
	for ; i+8 <= len(raw); i += 8 {
		word := binary.LittleEndian.Uint64(unsafe.Slice(unsafe.StringData(raw[i:]), 8))
		if below(word, 0x20)|equals(word, '&')|equals(word, '<') != 0 {
			return classifyBytes(raw[i:])
		}
	}
	return classifyBytes(raw[i:])
}

const ones, highs = 0x0101010101010101, 0x8080808080808080

// below is not zero if a byte of the word is less than n, which is at most 0x80. It may also be not
// zero otherwise, when a lower byte borrows, so it can only be used to skip.
func below(word uint64, n uint64) uint64 { return (word - ones*n) &^ word & highs }

// equals is not zero if a byte of the word is c, with the same limitation as below.
func equals(word uint64, c uint64) uint64 { return below(word^(ones*c), 1) }

// classifyBytes is classify byte by byte, for a short rest and for text with line ends.
func classifyBytes(raw string) (special bool, found flaws) {
	for i := range len(raw) {
		switch c := raw[i]; {
		case c == '&' || c == '<' || c == '\r':
			special = true
		case c < ' ' && c != '\n' && c != '\t':
			found |= controlCharacter
		}
	}
	return special, found
}

// isText reports whether a text has no control characters that XML forbids.
func isText(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\n' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// attrText decodes the value of an attribute of a tag: like decodeValue, but white space that is not
// written as a reference becomes spaces. These values are ids, which may be written again elsewhere,
// so characters that XML cannot represent are an error.
func (s *scanner) attrText(t *tag, raw string) (string, error) {
	if isPlainASCII(raw) {
		return raw, nil
	}
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '&':
			n, ok := reference(&b, raw[i:])
			if !ok {
				return "", s.errorf(int(t.start), "<%s> uses %s, and entities are not expanded", t.name, entityName(raw[i:]))
			}
			i += n - 1
		case c == '\r' && i+1 < len(raw) && raw[i+1] == '\n':
		case c == '\r' || c == '\n' || c == '\t':
			b.WriteByte(' ')
		default:
			b.WriteByte(c)
		}
	}
	if !isWritable(b.String()) {
		return "", s.errorf(int(t.start), "<%s> has an attribute with a character that XML forbids: %q", t.name, b.String())
	}
	return b.String(), nil
}

// isPlainASCII reports whether text is ASCII without references and without white space other than
// spaces. It checks eight bytes at a time.
func isPlainASCII(raw string) bool {
	i := 0
	for ; i+8 <= len(raw); i += 8 {
		word := binary.LittleEndian.Uint64(unsafe.Slice(unsafe.StringData(raw[i:]), 8))
		if below(word, 0x20)|equals(word, '&')|word&highs != 0 {
			return false
		}
	}
	for ; i < len(raw); i++ {
		if c := raw[i]; c < ' ' || c == '&' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// entityName returns the reference at the start of raw, for a message.
func entityName(raw string) string {
	const enough = 40
	if end := strings.IndexByte(raw, ';'); end >= 0 && end < enough {
		return raw[:end+1]
	}
	return "a bare \"&\""
}

// firstEntity returns the first reference in raw that cannot be resolved, for a message.
func firstEntity(raw string) string {
	var discard strings.Builder
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '<':
			i += section(&discard, raw[i:]) - 1
		case '&':
			if _, ok := reference(&discard, raw[i:]); !ok {
				return entityName(raw[i:])
			}
		}
	}
	return ""
}
