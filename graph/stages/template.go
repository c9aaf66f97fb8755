package stages

import "strings"

// appendTemplate appends a command with what differs from one sample to the next masked: # for
// numbers, @ for the paths among the arguments, & for long ids. In a comment words are names, not paths.
func appendTemplate(key []byte, command string) []byte {
	first, comment := true, false
	for word := range strings.FieldsSeq(command) {
		if !first {
			key = append(key, ' ')
		}
		comment = comment || word[0] == '#'
		switch {
		case isNumber(word):
			key = append(key, '#')
		case !first && !comment && strings.ContainsAny(word, "/."):
			key = append(key, '@')
		case isID(word):
			key = append(key, '&')
		default:
			key = appendMasked(key, word)
		}
		first = false
	}
	return key
}

// appendMasked appends a word with # for each number in it.
func appendMasked(key []byte, word string) []byte {
	for i := range len(word) {
		if !isDigit(word[i]) {
			key = append(key, word[i])
		} else if i == 0 || !isDigit(word[i-1]) {
			key = append(key, '#')
		}
	}
	return key
}

// isNumber reports whether a word is a number, like -3 and 0.25.
func isNumber(word string) bool {
	return isDigit(word[len(word)-1]) && strings.Trim(word, "+-.0123456789") == ""
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isID recognises hashes and UUIDs: long, hexadecimal, with a digit.
func isID(word string) bool {
	return len(word) >= 16 && strings.Trim(word, "0123456789abcdefABCDEF-") == "" && strings.ContainsAny(word, "0123456789")
}
