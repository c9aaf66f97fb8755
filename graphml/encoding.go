package graphml

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"wf/graph/pattern"
)

var utf8BOM = []byte("\xEF\xBB\xBF")

// A charset is a character encoding. Encoding a text that was decoded gives the same bytes.
type charset uint8

const (
	utf8Charset charset = iota
	utf16LE
	utf16BE
	latin1
	ascii
	windows1252
)

var charsetNames = map[string]charset{
	"": utf8Charset, "utf-8": utf8Charset, "utf8": utf8Charset,
	"iso-8859-1": latin1, "iso8859-1": latin1, "iso_8859-1": latin1, "latin1": latin1, "latin-1": latin1,
	"us-ascii": ascii, "ascii": ascii,
	"windows-1252": windows1252, "cp1252": windows1252, "cp-1252": windows1252,
}

// windows1252High maps the bytes 0x80 to 0x9F. The five undefined ones map to the control characters
// of the same number, as in browsers.
var windows1252High = [32]rune{
	'€', 0x81, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0x8D, 'Ž', 0x8F,
	0x90, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0x9D, 'ž', 'Ÿ',
}

// holds reports whether the charset contains the character.
func (c charset) holds(r rune) bool {
	switch c {
	case latin1:
		return r < 0x100
	case ascii:
		return r < 0x80
	case windows1252:
		_, ok := windows1252Byte(r)
		return ok
	}
	return true
}

func windows1252Byte(r rune) (byte, bool) {
	if r < 0x80 || r >= 0xA0 && r < 0x100 {
		return byte(r), true
	}
	for i, high := range windows1252High {
		if r == high {
			return byte(0x80 + i), true
		}
	}
	return 0, false
}

func charReference(r rune) string { return "&#" + strconv.Itoa(int(r)) + ";" }

var declaredEncoding = pattern.Of(`^<\?xml[^>]*?\sencoding\s*=\s*["']([^"']*)["']`)

// detect finds the charset by the byte order mark, the first bytes, and the XML declaration, in this
// order.
func detect(data []byte) (charset, error) {
	switch {
	case bytes.HasPrefix(data, utf8BOM):
		return utf8Charset, nil
	case bytes.HasPrefix(data, []byte("\xFF\xFE\x00\x00")), bytes.HasPrefix(data, []byte("\x00\x00\xFE\xFF")):
		return 0, unsupported("UTF-32")
	case bytes.HasPrefix(data, []byte("\xFF\xFE")), bytes.HasPrefix(data, []byte("<\x00")):
		return utf16LE, nil
	case bytes.HasPrefix(data, []byte("\xFE\xFF")), bytes.HasPrefix(data, []byte("\x00<")):
		return utf16BE, nil
	}
	const enough = 1024
	m := declaredEncoding.Get().FindSubmatch(data[:min(len(data), enough)])
	if m == nil {
		return utf8Charset, nil
	}
	name := string(m[1])
	c, ok := charsetNames[strings.ToLower(name)]
	switch {
	case ok:
		return c, nil
	case strings.HasPrefix(strings.ToLower(name), "utf-16"):
		return 0, fmt.Errorf("the file says that its encoding is %s, but it is not", name)
	}
	return 0, unsupported(name)
}

func unsupported(name string) error {
	return fmt.Errorf("encoding %q is not supported (UTF-8, UTF-16, ISO-8859-1, US-ASCII, Windows-1252 are)", name)
}

// decode turns the bytes of a file into UTF-8. UTF-8 bytes are returned as they are. Invalid bytes
// are an error that names the first one, because replacing them would alter the file.
func (c charset) decode(data []byte) ([]byte, error) {
	switch c {
	case utf16LE:
		return decodeUTF16(data, binary.LittleEndian)
	case utf16BE:
		return decodeUTF16(data, binary.BigEndian)
	case utf8Charset:
		if utf8.Valid(data) {
			return data, nil
		}
		at := invalidUTF8(data)
		return nil, syntaxError(data, at, fmt.Sprintf("byte %d (0x%02X) is not UTF-8", at, data[at]))
	}
	text := make([]byte, 0, len(data)+len(data)/8)
	for i, b := range data {
		switch {
		case b < utf8.RuneSelf:
			text = append(text, b)
		case c == ascii:
			return nil, syntaxError(data, i, fmt.Sprintf("byte %d (0x%02X) is not US-ASCII", i, b))
		case c == windows1252 && b < 0xA0:
			text = utf8.AppendRune(text, windows1252High[b-0x80])
		default:
			text = utf8.AppendRune(text, rune(b))
		}
	}
	return text, nil
}

// invalidUTF8 returns the offset of the first byte that is not part of a character.
func invalidUTF8(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(data)
}

// decodeUTF16 refuses lone surrogates: UTF-8 cannot represent them, so they would be lost.
func decodeUTF16(data []byte, order binary.ByteOrder) ([]byte, error) {
	text := make([]byte, 0, len(data)/2+len(data)/16)
	for i := 0; i < len(data); i += 2 {
		if i+1 == len(data) {
			return nil, fmt.Errorf("byte %d is half a UTF-16 character", i)
		}
		r := rune(order.Uint16(data[i:]))
		if utf16.IsSurrogate(r) {
			second := rune(0)
			if i+3 < len(data) {
				second = rune(order.Uint16(data[i+2:]))
			}
			if r = utf16.DecodeRune(r, second); r == utf8.RuneError {
				return nil, fmt.Errorf("byte %d is not the start of a UTF-16 character", i)
			}
			i += 2
		}
		text = utf8.AppendRune(text, r)
	}
	return text, nil
}

// encode is the inverse of decode. The charset must contain all characters of the text.
func (c charset) encode(dst, text []byte) []byte {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		switch c {
		case utf8Charset:
			dst = utf8.AppendRune(dst, r)
		case utf16LE:
			dst = appendUTF16(dst, r, binary.LittleEndian)
		case utf16BE:
			dst = appendUTF16(dst, r, binary.BigEndian)
		case windows1252:
			b, _ := windows1252Byte(r)
			dst = append(dst, b)
		default:
			dst = append(dst, byte(r))
		}
	}
	return dst
}

func appendUTF16(dst []byte, r rune, order binary.AppendByteOrder) []byte {
	if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
		return order.AppendUint16(order.AppendUint16(dst, uint16(high)), uint16(low))
	}
	return order.AppendUint16(dst, uint16(r))
}
