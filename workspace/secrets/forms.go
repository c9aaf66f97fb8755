package secrets

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
)

// formsOf returns the texts that are hidden for a value: each of its lines, as it is, as in JSON and as in addresses, and the
// whole in base64. Forms shorter than Least are left out.
func formsOf(value string) (forms [][]byte) {
	known := map[string]bool{}
	add := func(form string) {
		if len(form) >= Least && !known[form] && !strings.ContainsAny(form, "\n\r") {
			known[form] = true
			forms = append(forms, []byte(form))
		}
	}
	for line := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == '\n' || r == '\r' }) {
		line = strings.Trim(line, " \t")
		if len(line) < Least {
			continue
		}
		add(line)
		add(inJSON(line, true))
		add(inJSON(line, false))
		add(url.QueryEscape(line))
		add(url.PathEscape(line))
	}
	if len(forms) == 0 {
		return nil
	}
	for _, whole := range []string{value, strings.Trim(value, " \t\r\n")} {
		for before := range 3 {
			add(inBase64(base64.StdEncoding, whole, before))
			add(inBase64(base64.URLEncoding, whole, before))
		}
	}
	return forms
}

// Maskable reports whether something of a value can be hidden.
func Maskable(value string) bool { return len(formsOf(value)) > 0 }

// inJSON returns a text as it stands in JSON. Some programs write <, > and & as escapes.
func inJSON(text string, escape bool) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(escape)
	if enc.Encode(text) != nil {
		return ""
	}
	return strings.Trim(b.String(), "\"\n")
}

// leastBase64 is the shortest part of a value in base64 that is hidden. Shorter ones could be anything.
const leastBase64 = 8

// inBase64 returns the characters of a value in base64 that depend on nothing else, if so many bytes come before it.
func inBase64(enc *base64.Encoding, value string, before int) string {
	text := enc.WithPadding(base64.NoPadding).EncodeToString(append(make([]byte, before), value...))
	first := (before*8 + 5) / 6
	last := (before + len(value)) * 8 / 6
	if last-first < leastBase64 {
		return ""
	}
	return text[first:last]
}
