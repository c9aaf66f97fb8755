package main

import "strings"

// obeyed reports whether a terminal may interpret r instead of displaying it. It is independent of package plain, so that
// tests do not share its mistakes.
func obeyed(r rune) bool {
	const bidi = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
	return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || strings.ContainsRune(bidi, r)
}
