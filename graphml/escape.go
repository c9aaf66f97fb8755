package graphml

import "unicode/utf8"

// picture returns the visible symbol for a control character, which XML cannot represent, not even
// as a reference. Each control character has its own symbol, and none is special in a shell.
func picture(c byte) rune { return 0x2400 + rune(c) }

// appendText appends text as the content of an element, with the line ends of the file. Characters
// that the encoding of the file lacks become references.
func appendText(dst []byte, text string, f *form) []byte {
	return appendEscaped(dst, text, f.charset, false, f.crlf)
}

// appendAttr appends text as the value of an attribute in double quotes.
func appendAttr(dst []byte, text string, cs charset) []byte {
	return appendEscaped(dst, text, cs, true, false)
}

// appendEscaped copies runs of plain characters at once and replaces the others.
func appendEscaped(dst []byte, text string, cs charset, inAttr, crlf bool) []byte {
	from := 0 // of what is not copied yet
	for i := 0; i < len(text); {
		c, size := text[i], 1
		var instead string
		switch {
		case c == '&':
			instead = "&amp;"
		case c == '<':
			instead = "&lt;"
		case c == '>':
			instead = "&gt;"
		case c == '\r':
			instead = "&#13;"
		case c == '"' && inAttr:
			instead = "&quot;"
		case c == '\n' && inAttr:
			instead = "&#10;"
		case c == '\t' && inAttr:
			instead = "&#9;"
		case c == '\n' && crlf:
			instead = "\r\n" // XML readers turn it into one \n again
		case c >= ' ' && c < utf8.RuneSelf || c == '\n' || c == '\t':
			i++
			continue
		default:
			var r rune
			if r, size = visible(text[i:]); cs.holds(r) && string(r) == text[i:i+size] {
				i += size
				continue
			} else if cs.holds(r) {
				instead = string(r)
			} else {
				instead = charReference(r)
			}
		}
		dst = append(append(dst, text[from:i]...), instead...)
		i += size
		from = i
	}
	return append(dst, text[from:]...)
}

// visible returns the first character of text, or its visible form if XML cannot represent it.
func visible(text string) (r rune, size int) {
	r, size = utf8.DecodeRuneInString(text) // U+FFFD for bytes that are no UTF-8
	switch {
	case r < ' ' && r != '\n' && r != '\t' && r != '\r':
		return picture(byte(r)), size
	case r == 0xFFFE || r == 0xFFFF:
		return utf8.RuneError, size
	}
	return r, size
}

// isWritable reports whether XML can represent every character of the text.
func isWritable(text string) bool {
	for i := 0; i < len(text); {
		r, size := visible(text[i:])
		if string(r) != text[i:i+size] {
			return false
		}
		i += size
	}
	return true
}
