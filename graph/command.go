package graph

import "strings"

// commandWord returns the word that describes a shell command best: the program, or the script of an
// interpreter, without preparations, wrappers, folder and extension. It is a heuristic for handles and
// reads only as much of the command as necessary.
func commandWord(command string) string {
	w := words{rest: command}
	first := "" // the result for a command that consists of preparations
	for {
		word, ok := w.next()
		if !ok {
			return baseName(first)
		}
		if first == "" {
			first = word
		}
		switch {
		case word == "" || isAssignment(word) || shellKeywords[word]:
		case preparations[word]:
			w.skipCommand()
		case wrappers[baseName(word)] != nil:
			w.skipOptions(*wrappers[baseName(word)])
		case isInterpreter(baseName(word)):
			script, code := w.script()
			switch {
			case code:
				w, first = words{rest: script}, baseName(word)
			case script == "":
				return baseName(word)
			default:
				return baseName(script)
			}
		default:
			return baseName(word)
		}
	}
}

// shellKeywords stand before a command without being one.
var shellKeywords = map[string]bool{
	"!": true, "{": true, "}": true, "if": true, "then": true, "else": true, "elif": true, "fi": true,
	"while": true, "until": true, "do": true, "done": true,
}

// preparations are commands that prepare the environment of the main command.
var preparations = map[string]bool{
	"cd": true, "set": true, "export": true, "unset": true, "source": true, ".": true,
	"umask": true, "ulimit": true, "module": true, "for": true, "test": true, "[": true, "[[": true,
}

// A wrapper runs the command that follows it.
type wrapper struct {
	valued string // letters of options with a value in the next word
	words  int    // number of arguments before the command
}

var wrappers = map[string]*wrapper{
	"command": {}, "env": {valued: "uC"}, "exec": {valued: "a"}, "ionice": {valued: "cn"}, "nice": {valued: "n"},
	"nohup": {}, "setsid": {}, "stdbuf": {valued: "ioe"}, "sudo": {valued: "ugp"}, "time": {valued: "fo"},
	"timeout": {valued: "ks", words: 1},
}

// interpreters are programs whose first argument describes the command better than their name.
var interpreters = map[string]bool{
	"bash": true, "dash": true, "sh": true, "zsh": true, "ksh": true, "fish": true, "python": true, "pypy": true,
	"Rscript": true, "perl": true, "node": true, "deno": true, "julia": true, "ruby": true, "php": true, "lua": true,
}

// isInterpreter reports whether program is an interpreter, with or without a version: python3.12.
func isInterpreter(program string) bool {
	return interpreters[strings.TrimRight(program, "0123456789.")]
}

// isAssignment recognises NAME=value.
func isAssignment(word string) bool {
	name, _, found := strings.Cut(word, "=")
	if !found || name == "" || name[0] >= '0' && name[0] <= '9' {
		return false
	}
	return strings.IndexFunc(name, func(r rune) bool { return r != '_' && !isAlphanumeric(r) }) < 0
}

// extensions of scripts, which handles omit.
var extensions = []string{
	".py", ".sh", ".bash", ".R", ".r", ".pl", ".js", ".mjs", ".ts", ".rb", ".jl", ".php", ".lua", ".awk", ".exe",
}

// baseName returns a path without folder and extension.
func baseName(path string) string {
	path = strings.TrimRight(path, "/")
	path = path[strings.LastIndexByte(path, '/')+1:]
	for _, ext := range extensions {
		if base, found := strings.CutSuffix(path, ext); found && base != "" {
			return base
		}
	}
	return path
}

// words reads a shell command word by word, without quotes. A command separator is returned as an
// empty word. It supports only as much of the grammar as handles need.
type words struct{ rest string }

const (
	blanks     = " \t\r"
	separators = ";&|()\n"
)

// next returns the next word; ok is false at the end.
func (w *words) next() (word string, ok bool) {
	w.rest = strings.TrimLeft(w.rest, blanks)
	for strings.HasPrefix(w.rest, "#") {
		_, w.rest, _ = strings.Cut(w.rest, "\n")
		w.rest = strings.TrimLeft(w.rest, blanks)
	}
	if w.rest == "" {
		return "", false
	}
	if strings.IndexByte(separators, w.rest[0]) >= 0 {
		w.rest = w.rest[1:]
		return "", true
	}
	return w.word(), true
}

// word reads up to a blank or a separator outside quotes.
func (w *words) word() string {
	if end := strings.IndexAny(w.rest, blanks+separators+`"'\`); end > 0 && strings.IndexByte(`"'\`, w.rest[end]) < 0 {
		word := w.rest[:end] // without quotes
		w.rest = w.rest[end:]
		return word
	}
	var b strings.Builder
	quote := byte(0)
	for i := 0; i < len(w.rest); i++ {
		switch c := w.rest[i]; {
		case c == quote:
			quote = 0
		case c == '\\' && quote != '\'' && i+1 < len(w.rest):
			if i++; w.rest[i] != '\n' {
				b.WriteByte(w.rest[i])
			}
		case quote != 0:
			b.WriteByte(c)
		case c == '\'' || c == '"':
			quote = c
		case strings.IndexByte(blanks+separators, c) >= 0:
			w.rest = w.rest[i:]
			return b.String()
		default:
			b.WriteByte(c)
		}
	}
	w.rest = ""
	return b.String()
}

// skipCommand skips the rest of the current command and the separator after it.
func (w *words) skipCommand() {
	for {
		if word, ok := w.next(); word == "" || !ok {
			return
		}
	}
}

// skipOptions skips the options and arguments of a wrapper.
func (w *words) skipOptions(of wrapper) {
	own := of.words
	for {
		before := w.rest
		word, ok := w.next()
		switch {
		case !ok:
			return
		case len(word) == 2 && word[0] == '-' && strings.IndexByte(of.valued, word[1]) >= 0:
			w.next()
		case strings.HasPrefix(word, "-"):
		case own > 0:
			own--
		default:
			w.rest = before
			return
		}
	}
}

// script returns the argument of an interpreter: the path of a script, or the text of -c and -e (code
// is true). It is empty if there is none.
func (w *words) script() (script string, code bool) {
	for {
		word, ok := w.next()
		switch {
		case !ok || word == "" || word == "-" || word[0] == '<' || word[0] == '>':
			return "", false
		case word[0] != '-':
			return word, false
		case word[1] != '-' && strings.ContainsAny(word[len(word)-1:], "ce"):
			text, _ := w.next()
			return text, true
		}
	}
}
