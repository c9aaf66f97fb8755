package graph

import "strings"

// commandWord returns the word that says best what a shell command does: the program, or the
// script that an interpreter is given, without preparations, wrappers, folder and extension.
// It is a guess for handles and reads no more of the command than it must.
func commandWord(command string) string {
	w := words{rest: command}
	first := "" // better than nothing, for a command that is preparations only
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

// preparations are commands that set the scene for the one that matters.
var preparations = map[string]bool{
	"cd": true, "set": true, "export": true, "unset": true, "source": true, ".": true,
	"umask": true, "ulimit": true, "module": true, "for": true, "test": true, "[": true, "[[": true,
}

// A wrapper runs the command that follows it.
type wrapper struct {
	valued string // letters of options that take a word as value
	words  int    // words of its own before the command
}

var wrappers = map[string]*wrapper{
	"command": {}, "env": {valued: "uC"}, "exec": {valued: "a"}, "ionice": {valued: "cn"}, "nice": {valued: "n"},
	"nohup": {}, "setsid": {}, "stdbuf": {valued: "ioe"}, "sudo": {valued: "ugp"}, "time": {valued: "fo"},
	"timeout": {valued: "ks", words: 1},
}

// interpreters are programs whose first argument says more than they do.
var interpreters = map[string]bool{
	"bash": true, "dash": true, "sh": true, "zsh": true, "ksh": true, "fish": true, "python": true, "pypy": true,
	"Rscript": true, "perl": true, "node": true, "deno": true, "julia": true, "ruby": true, "php": true, "lua": true,
}

// isInterpreter knows python3.12 as python.
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

// extensions of scripts, which a handle does without.
var extensions = []string{
	".py", ".sh", ".bash", ".R", ".r", ".pl", ".js", ".mjs", ".ts", ".rb", ".jl", ".php", ".lua", ".awk", ".exe",
}

// baseName cuts the folder and the extension off a path.
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

// words reads a shell command word by word, with quotes taken off. A command separator is an
// empty word. It knows as much of the grammar as handles need.
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
		word := w.rest[:end] // nothing to take off
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

// skipCommand goes behind the separator that ends the command at hand.
func (w *words) skipCommand() {
	for {
		if word, ok := w.next(); word == "" || !ok {
			return
		}
	}
}

// skipOptions goes behind the options and own words of a wrapper.
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

// script returns what an interpreter is given: the path of a script, or the text of -c and -e
// (code is true). It is empty if the interpreter stands alone.
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
