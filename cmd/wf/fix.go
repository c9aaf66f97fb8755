package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wf/graph/pattern"
	"wf/tui/words"
)

// advise completes an advice, whose author knows neither how the user named the workfile nor that the user is on another
// machine, so that its commands work where the user types them.
func advise(e *env, fix string) string { return e.Advice(e.adviseFile(fix)) }

// calledCommand finds the commands in an advice: wf and a word that may be a command.
var calledCommand = pattern.Of(`\bwf ([a-z][a-z-]*)`)

// adviseHost adds --host to the commands of an advice. machine is its value, "" for none.
func adviseHost(machine, text string) string {
	if machine == "" {
		return text
	}
	found := calledCommand.Get().FindAllStringSubmatchIndex(text, -1)
	var b strings.Builder
	begin := 0
	for i, at := range found {
		end := len(text)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		name := text[at[2]:at[3]]
		known := slices.ContainsFunc(commandList(), func(c command) bool { return name == c.name || name == c.alias })
		if !known || slices.Contains(localCommands, name) || strings.Contains(text[at[3]:end], "--host") {
			continue
		}
		b.WriteString(text[begin:at[0]] + "wf" + hostOption(machine))
		begin = at[0] + len("wf")
	}
	return b.String() + text[begin:]
}

// hostOption returns the --host flag for a command in an advice, "" if the command works without it.
func hostOption(machine string) string {
	if machine == "" {
		return ""
	}
	return " " + hostFlagName + " " + words.Quote(machine)
}

// adviceWords finds the commands in an advice: wf and the following words that may be names of sub-commands.
var adviceWords = pattern.Of(`\bwf((?: [a-z][a-z-]*)+)`)

// adviseFile adds the workfile of this command to an advice, because the author of the advice, for instance the
// daemon, does not know how the user named the file. It adds --file to every command that takes one and has none,
// except wf new, which is about another file.
func (e *env) adviseFile(fix string) string {
	if fix == "" || e.workpath == "" {
		return fix
	}
	flag := fileOption(e, e.workpath)
	if flag == "" {
		return fix
	}
	root := newRoot(&env{})
	var b strings.Builder
	begin := 0
	found := adviceWords.Get().FindAllStringSubmatchIndex(fix, -1)
	for i, at := range found {
		cmd, length := subCommand(root, fix[at[2]:at[3]])
		end := len(fix) // the end of the arguments of this command
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		behind := at[2] + length
		if cmd.Flag("file") == nil || cmd.Name() == "new" || namesFile(fix[behind:end]) {
			continue
		}
		b.WriteString(fix[begin:behind] + flag)
		begin = behind
	}
	return b.String() + fix[begin:]
}

// subCommand returns the command that words name, and the length of those words with the blanks before them.
func subCommand(root *cobra.Command, words string) (cmd *cobra.Command, length int) {
	cmd = root
	for _, word := range strings.Fields(words) {
		next := cmd
		for _, sub := range cmd.Commands() {
			if sub.Name() == word || sub.HasAlias(word) {
				next = sub
			}
		}
		if next == cmd {
			break
		}
		cmd = next
		length += len(" ") + len(word)
	}
	return cmd, length
}

// namesFile says whether the rest of a command names a workfile or needs none.
func namesFile(rest string) bool {
	for _, word := range strings.Fields(rest) {
		if word == "--file" || word == "-f" || word == "--help" {
			return true
		}
	}
	return false
}
