package graph

import (
	"strings"
	"unicode/utf8"
)

func isGlob(text string) bool { return strings.ContainsAny(text, "*?[") }

// globMatch matches a whole text: * is any run of characters, ? is one, [a-z] one of a set,
// [^a-z] one that is not. Unlike in package path, a slash is a character like any other, and a
// malformed set is taken literally.
func globMatch(pattern, text string) bool {
	// Where to continue when this attempt fails: after the latest *, one character later.
	retryPattern, retryText := "", ""
	retry := false
	for text != "" {
		if strings.HasPrefix(pattern, "*") {
			pattern = pattern[1:]
			retryPattern, retryText, retry = pattern, text, true
			continue
		}
		r, size := utf8.DecodeRuneInString(text)
		if rest, ok := globOne(pattern, r); ok {
			pattern, text = rest, text[size:]
			continue
		}
		if !retry {
			return false
		}
		_, size = utf8.DecodeRuneInString(retryText)
		retryText = retryText[size:]
		pattern, text = retryPattern, retryText
	}
	return strings.Trim(pattern, "*") == ""
}

// globOne matches one character with the first element of the pattern, which is not *.
func globOne(pattern string, r rune) (rest string, ok bool) {
	if pattern == "" {
		return "", false
	}
	p, size := utf8.DecodeRuneInString(pattern)
	switch p {
	case '?':
		return pattern[1:], true
	case '[':
		if set, rest, found := strings.Cut(pattern[1:], "]"); found && set != "" {
			return rest, inSet(set, r)
		}
	}
	return pattern[size:], p == r
}

func inSet(set string, r rune) bool {
	set, negated := strings.CutPrefix(set, "^")
	runes := []rune(set)
	for i := 0; i < len(runes); i++ {
		low, high := runes[i], runes[i]
		if i+2 < len(runes) && runes[i+1] == '-' {
			high = runes[i+2]
			i += 2
		}
		if low <= r && r <= high {
			return !negated
		}
	}
	return negated
}
