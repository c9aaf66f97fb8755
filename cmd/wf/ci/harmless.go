package ci

import (
	"bytes"
	"regexp"
	"strings"
	"sync"

	"wf/graph/pattern"
)

// The commands of the systems, as their programs read them.
//
// GitHub's runner takes a line that begins with white space and "::" for a command. It compares with cultural rules,
// which ignore invisible characters. The older form, "##[", works anywhere in a line, also when the page of the log
// is drawn.
//
// Azure's agent obeys "##vso[" anywhere in a line, and the page of its log obeys "##[", both ignoring invisible
// characters. TeamCity obeys "##teamcity[" anywhere in a line.
//
// Buildkite takes a line for a header if it begins with one of four marks, possibly after colours.
var (
	githubCommand    = pattern.Of(`(?m)^([^\pL\pN\pP\pS\n]*):([\p{Cf}\p{Cc}\pM]*:)`)
	githubOldCommand = pattern.Of(`#([\p{Cf}\p{Cc}\pM]*)#([\p{Cf}\p{Cc}\pM]*)\[`)
	azureCommand     = sync.OnceValue(func() *regexp.Regexp { return unseen("##vso[") })
	teamCityCommand  = sync.OnceValue(func() *regexp.Regexp { return unseen("##teamcity[") })
	buildkiteHeader  = pattern.Of(`(?m)^((?:\x1b\[[0-9;]*[mK])*)(---|\+\+\+|~~~|\^\^\^)(\s|$)`)
)

// unseen matches a word in any case, with invisible characters between its letters. The last letter is a group of its
// own.
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

// teamCityValue escapes a text for a value of a service message.
func teamCityValue(text string) string {
	return strings.NewReplacer("|", "||", "'", "|'", "[", "|[", "]", "|]", "\n", "|n", "\r", "|r").Replace(text)
}

// Harmless disarms text, such as names and commands, so that a CI system prints it and does not obey it.
func Harmless(system, text string) string {
	switch system {
	case GitHub:
		text = githubCommand.Get().ReplaceAllString(text, "${1}: ${2}")
		return string(breakOldCommands([]byte(text)))
	case Buildkite:
		return string(breakHeaders([]byte(text)))
	case Azure:
		return string(breakOldCommands(azureCommand().ReplaceAll([]byte(text), []byte("${1}${2} ["))))
	case TeamCity:
		return teamCityCommand().ReplaceAllString(text, "${1}${2} [")
	}
	return text
}

// breakOldCommands puts a blank into commands that GitHub obeys anywhere in a line.
func breakOldCommands(text []byte) []byte {
	if !bytes.Contains(text, []byte("[")) {
		return text
	}
	return githubOldCommand.Get().ReplaceAll(text, []byte("#${1}#${2} ["))
}

// breakHeaders puts a blank before headers of Buildkite.
func breakHeaders(text []byte) []byte {
	return buildkiteHeader.Get().ReplaceAll(text, []byte(" ${1}${2}${3}"))
}
