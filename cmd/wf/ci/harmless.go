package ci

import (
	"bytes"
	"regexp"
	"strings"
)

// What the systems obey, as their programs read it.
//
// GitHub's runner takes a line for a command when it begins with "::", whatever white space comes
// before it; it compares by the rules of a language, which skip characters that cannot be seen.
// The older form, "##[", counts anywhere in a line, and once more when the page of the log is drawn.
//
// Azure's agent obeys "##vso[" anywhere in a line, and the page of its log "##[", both by rules of a language that
// skip characters that cannot be seen; TeamCity obeys "##teamcity[" anywhere in a line.
//
// Buildkite takes a line for a header when it begins with one of four marks, colours apart.
var (
	githubCommand    = regexp.MustCompile(`(?m)^([^\pL\pN\pP\pS\n]*):([\p{Cf}\p{Cc}\pM]*:)`)
	githubOldCommand = regexp.MustCompile(`#([\p{Cf}\p{Cc}\pM]*)#([\p{Cf}\p{Cc}\pM]*)\[`)
	azureCommand     = unseen("##vso[")
	teamCityCommand  = unseen("##teamcity[")
	buildkiteHeader  = regexp.MustCompile(`(?m)^((?:\x1b\[[0-9;]*[mK])*)(---|\+\+\+|~~~|\^\^\^)(\s|$)`)
)

// unseen matches a word in any case, with characters between its own that cannot be seen. Its last one is apart.
func unseen(word string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString("(?i)(")
	for i, r := range word[:len(word)-1] {
		if i > 0 {
			b.WriteString(`[\p{Cf}\p{Cc}\pM]*`)
		}
		b.WriteString(regexp.QuoteMeta(string(r)))
	}
	return regexp.MustCompile(b.String() + `)([\p{Cf}\p{Cc}\pM]*)` + regexp.QuoteMeta(word[len(word)-1:]))
}

// teamCityValue is a text in the place of a value of a service message.
func teamCityValue(text string) string {
	return strings.NewReplacer("|", "||", "'", "|'", "[", "|[", "]", "|]", "\n", "|n", "\r", "|r").Replace(text)
}

// Harmless is text that a CI system prints and does not obey: names and commands are what their
// author likes.
func Harmless(system, text string) string {
	switch system {
	case GitHub:
		text = githubCommand.ReplaceAllString(text, "${1}: ${2}")
		return string(breakOldCommands([]byte(text)))
	case Buildkite:
		return string(breakHeaders([]byte(text)))
	case Azure:
		return string(breakOldCommands(azureCommand.ReplaceAll([]byte(text), []byte("${1}${2} ["))))
	case TeamCity:
		return teamCityCommand.ReplaceAllString(text, "${1}${2} [")
	}
	return text
}

// breakOldCommands puts a blank into what GitHub would obey anywhere in a line.
func breakOldCommands(text []byte) []byte {
	if !bytes.Contains(text, []byte("[")) {
		return text
	}
	return githubOldCommand.ReplaceAll(text, []byte("#${1}#${2} ["))
}

// breakHeaders puts a blank before what would begin a group of Buildkite.
func breakHeaders(text []byte) []byte {
	return buildkiteHeader.ReplaceAll(text, []byte(" ${1}${2}${3}"))
}
