package jsonline

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// AppendKey appends a comma and a key, which needs no escapes.
func AppendKey(b []byte, key string) []byte {
	b = append(b, ',', '"')
	b = append(b, key...)
	return append(b, '"', ':')
}

// The following functions append a key and a value, or nothing if the value is zero, like omitempty.

// AppendInt appends an integer.
func AppendInt(b []byte, key string, n int64) []byte {
	if n == 0 {
		return b
	}
	return strconv.AppendInt(AppendKey(b, key), n, 10)
}

// AppendText appends a string.
func AppendText(b []byte, key, text string) []byte {
	if text == "" {
		return b
	}
	return AppendQuoted(AppendKey(b, key), text)
}

// AppendTrue appends true if set.
func AppendTrue(b []byte, key string, set bool) []byte {
	if !set {
		return b
	}
	return append(AppendKey(b, key), "true"...)
}

// AppendQuoted appends a string without a key. It escapes only what JSON requires, so that people can read and search
// the lines. Invalid UTF-8 becomes U+FFFD, as in encoding/json.
func AppendQuoted(b []byte, text string) []byte {
	b = append(b, '"')
	if isPlain(text) {
		return append(append(b, text...), '"')
	}
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r < ' ':
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}

// isPlain reports whether text is printable ASCII without escapes.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
