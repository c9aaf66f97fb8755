package shell

import (
	"path"
	"slices"
	"strings"
)

// keywords can stand before a command.
var keywords = wordSet("if then else elif fi while until do done ! { } esac")

// settingShell are builtins that change how the shell reads or executes the commands that follow. Another shell for the
// label would not have these settings.
var settingShell = wordSet("set shopt alias trap")

// judge decides what becomes of the label in a simple command.
func (r *shellReader) judge(command []shellWord) {
	for len(command) > 0 && command[0].text != string(label) && (command[0].bare && keywords()[command[0].text] || isAssignment(command[0].text)) {
		r.quotes(command[0], false)
		command = command[1:]
	}
	if len(command) == 0 {
		return
	}
	if settingShell()[command[0].text] {
		r.settings = true
	}
	if command[0].isLabel() {
		h := r.mistake(command[0], asProgram)
		if r.settings {
			h.correct = "eval {}"
		}
		return
	}
	r.execution(command)
	code := codeWord(command)
	for i, w := range command {
		r.quotes(w, i == code || code == len(command) && i > 0)
	}
}

// isLabel reports whether the word is the label and nothing more.
func (w *shellWord) isLabel() bool { return w.text == string(label) && len(w.holes) == 1 }

// mistake notes that a word, which is the label, would be misread.
func (r *shellReader) mistake(w shellWord, what mistake) *hole {
	h := &r.holes[w.holes[0]]
	h.mistaken, h.start, h.end, h.correct = what, w.start, w.end, "SHELL -c {}"
	return h
}

func isAssignment(word string) bool {
	name, _, found := strings.Cut(word, "=")
	if !found || name == "" || isDigits(name[:1]) {
		return false
	}
	return strings.IndexFunc(name, func(c rune) bool {
		return c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
	}) < 0
}

// quotes marks the labels in quotes that belong to the text of a word. A quote in the label would end them: Line escapes
// the label for the quotes that the wrapper's shell reads, not for those that another program reads. code says that the
// text is read by a shell.
func (r *shellReader) quotes(w shellWord, code bool) {
	if len(w.holes) == 0 {
		return
	}
	if !code {
		if inPair(w.text) {
			r.holes[w.holes[0]].nested = true
		}
		return
	}
	inner := readShell(strings.ReplaceAll(w.text, string(label), placeholder))
	for i, h := range inner.holes {
		at := &r.holes[w.holes[min(i, len(w.holes)-1)]]
		if at.bad == "" {
			at.bad = h.bad
		}
		in := h.contexts[len(h.contexts)-1]
		at.nested = at.nested || h.nested || in == single || in == double
	}
}

// inPair reports whether the label is between two quotes in the text.
func inPair(text string) bool {
	for i := 0; i < len(text); i++ {
		quote := text[i]
		if quote == '\\' {
			i++
			continue
		}
		if quote != '\'' && quote != '"' {
			continue
		}
		end := strings.IndexByte(text[i+1:], quote)
		if end < 0 {
			continue // an apostrophe
		}
		if strings.IndexByte(text[i+1:i+1+end], label) >= 0 {
			return true
		}
		i += end + 1
	}
	return false
}

// codeWord returns the index of the word that a shell reads as commands, -1 if there is none, or the number of words if
// all of them are.
func codeWord(command []shellWord) int {
	for i := range command {
		switch program := path.Base(command[i].text); {
		case program == "eval" && i == 0, program == "ssh" && i == 0:
			return len(command)
		case IsShell(program):
			for k := i + 1; k < len(command); k++ {
				if isCallOption(command[k].text) && k+1 < len(command) {
					return k + 1
				}
			}
			return -1
		}
	}
	return -1
}

// IsShell reports whether the name of a program is that of a shell.
func IsShell(program string) bool {
	return slices.Contains([]string{"sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "yash", "fish"}, program)
}

// isCallOption reports whether the word is -c, alone or among other letters.
func isCallOption(word string) bool {
	return len(word) > 1 && word[0] == '-' && word[1] != '-' && strings.IndexByte(word, 'c') > 0
}

// execution follows the programs that start another program without a shell, up to the label.
func (r *shellReader) execution(command []shellWord) {
	for len(command) > 0 {
		program := path.Base(command[0].text)
		if program == "ssh" {
			r.remote(command)
			return
		}
		inner := starts(program, command[1:])
		if len(inner) > 0 && inner[0].isLabel() {
			r.mistake(inner[0], startedBy).program = program
			return
		}
		command = inner
	}
}

// remote checks the words of an ssh command. ssh joins them with blanks, and the shell on the other side splits them again,
// so only the first word of a label after sh -c would be code.
func (r *shellReader) remote(command []shellWord) {
	words := sshHost.inner(command[1:])
	if len(words) < 3 || !IsShell(path.Base(words[0].text)) {
		return
	}
	for k := 1; k+1 < len(words); k++ {
		if isCallOption(words[k].text) && words[k+1].isLabel() {
			h := r.mistake(words[k+1], takenApart)
			h.start, h.correct = words[0].start, "{}"
			return
		}
	}
}
