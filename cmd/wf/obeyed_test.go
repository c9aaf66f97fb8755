package main

import "strings"

// obeyed says whether a terminal may do something else with r than show it. It is written down
// here once more, so that the tests do not believe what package plain believes.
func obeyed(r rune) bool {
	const bidi = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
	return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || strings.ContainsRune(bidi, r)
}
