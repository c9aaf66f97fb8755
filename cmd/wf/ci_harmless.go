package main

import (
	"bytes"
	"regexp"
)

// What the systems obey, as their programs read it.
//
// GitHub's runner takes a line for a command when it begins with "::", whatever white space comes
// before it; it compares by the rules of a language, which skip characters that cannot be seen.
// The older form, "##[", counts anywhere in a line, and once more when the page of the log is drawn.
//
// Buildkite takes a line for a header when it begins with one of four marks, colours apart.
var (
	githubCommand    = regexp.MustCompile(`(?m)^([^\pL\pN\pP\pS\n]*):([\p{Cf}\p{Cc}\pM]*:)`)
	githubOldCommand = regexp.MustCompile(`#([\p{Cf}\p{Cc}\pM]*)#([\p{Cf}\p{Cc}\pM]*)\[`)
	buildkiteHeader  = regexp.MustCompile(`(?m)^((?:\x1b\[[0-9;]*[mK])*)(---|\+\+\+|~~~|\^\^\^)(\s|$)`)
)

// harmless is text that a CI system prints and does not obey: names and commands are what their
// author likes.
func harmless(system, text string) string {
	switch system {
	case ciGitHub:
		text = githubCommand.ReplaceAllString(text, "${1}: ${2}")
		return string(breakOldCommands([]byte(text)))
	case ciBuildkite:
		return string(breakHeaders([]byte(text)))
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

// harmless is what the system that reads along only prints.
func (v *view) harmless(text string) string { return harmless(v.ci, text) }
