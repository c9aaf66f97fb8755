package shell

import (
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// To start a shell costs as much as most commands. A line of plain words that starts a program needs no shell, and
// SHELL -c 'TEXT' needs only the shell that it names. Commands must not notice the difference, so a line that may have
// another meaning goes through the shell.

// Direct returns how to execute line without the shell that would interpret it, if that makes no difference. find looks up
// programs as FindProgram does. One difference remains: some shells turn a death by signal into exit code 128 + n and
// a line on stderr, whereas without a shell the signal is reported.
func Direct(shell, line string, find func(name string) (path string, ok bool)) (path string, argv []string, ok bool) {
	if !isPlainShell(shell) && shell != "" {
		return "", nil, false
	}
	for {
		words, ok := PlainWords(line)
		if !ok || !startsProgram(words) {
			return path, argv, argv != nil
		}
		program, ok := find(words[0])
		if !ok {
			return path, argv, argv != nil
		}
		path, argv = program, words
		if !isCall(words) || !isPosixShell(words[0]) {
			return path, argv, true
		}
		// In sh -c 'a b', the inner line may not need its shell either.
		line = words[2]
	}
}

// isCall reports whether words are SHELL -c TEXT and nothing else.
func isCall(words []string) bool {
	return len(words) == 3 && words[1] == "-c" && isPlainShell(words[0])
}

// isPlainShell reports whether the program is a shell whose rules are known here.
func isPlainShell(program string) bool {
	return isPosixShell(program) || filepath.Base(program) == "bash"
}

// isPosixShell reports whether the program is sh or dash. bash is not one: it sets SHLVL and _ for what it starts.
func isPosixShell(program string) bool {
	base := filepath.Base(program)
	return base == "sh" || base == "dash"
}

// IsHook reports whether the variable changes what a shell does or prints for a line.
func IsHook(variable string) bool {
	key, _, _ := strings.Cut(variable, "=")
	switch key {
	case "ENV", "BASH_ENV", "SHELLOPTS", "BASHOPTS", "POSIXLY_CORRECT":
		return true
	}
	return strings.HasPrefix(key, "BASH_FUNC_")
}

// shellWords are the first words that a shell does not look up in PATH: reserved words and the
// builtins of dash and bash.
var shellWords = wordSet(`
	! { } case coproc do done elif else esac fi for function if in select then time until while [[ ]]
	. : [ alias bg bind break builtin caller cd chdir command compgen complete compopt continue
	declare dirs disown echo enable eval exec exit export false fc fg getopts hash help history jobs
	kill let local logout mapfile newgrp popd printf pushd pwd read readarray readonly return set
	shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait`)

// wordSet returns a function that returns the set of the words of text. The set is made when it is first used, not at the
// start of the program.
func wordSet(text string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := make(map[string]bool)
		for _, w := range strings.Fields(text) {
			set[w] = true
		}
		return set
	})
}

// startsProgram reports whether the shell would run words as a program.
func startsProgram(words []string) bool {
	first := words[0]
	if (first == "true" || first == "false") && len(words) == 1 {
		return true // the builtin and the program do the same
	}
	return first != "" && !shellWords()[first] && !strings.Contains(first, "=")
}

// PlainWords splits a line that consists only of words, blanks and simple quotes.
func PlainWords(line string) (words []string, ok bool) {
	if !strings.ContainsFunc(line, func(c rune) bool { return c != ' ' && c != '\t' && (c >= utf8.RuneSelf || !isPlain(byte(c))) }) {
		words = strings.Fields(line) // most lines have no quotes
		return words, len(words) > 0
	}
	var word []byte
	inWord := false
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == ' ' || c == '\t':
			if inWord {
				words, word, inWord = append(words, string(word)), nil, false
			}
		case c == '\'' || c == '"':
			var length int
			if word, length = quoted(word, line[i+1:], c); length < 0 {
				return nil, false
			}
			inWord = true
			i += length
		case strings.HasPrefix(line[i:], `\'`): // as in 'it'\''s'
			word, inWord = append(word, '\''), true
			i++
		case isPlain(c):
			word, inWord = append(word, c), true
		default:
			return nil, false
		}
	}
	if inWord {
		words = append(words, string(word))
	}
	return words, len(words) > 0
}

// quoted appends the text up to the closing quote to word, without the backslashes that only protect a character. length
// is that of the text and the quote in rest, or negative if a shell might read the text differently.
func quoted(word []byte, rest string, quote byte) (_ []byte, length int) {
	if quote == '\'' {
		end := strings.IndexByte(rest, quote)
		if end < 0 {
			return word, -1
		}
		return append(word, rest[:end]...), end + 1
	}
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == quote:
			return word, i + 1
		case c == '$' || c == '`' || c == '!':
			return word, -1
		case c == '\\' && i+1 < len(rest) && rest[i+1] == '\n':
			return word, -1
		case c == '\\' && i+1 < len(rest) && strings.IndexByte("\\\"$`", rest[i+1]) >= 0:
			word = append(word, rest[i+1])
			i++
		default:
			word = append(word, c)
		}
	}
	return word, -1
}

// isPlain reports whether c has no special meaning anywhere in an unquoted word.
func isPlain(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	return strings.IndexByte("_-./:=,+@%", c) >= 0
}

// FindProgram looks up name in a value of PATH as a shell would. It returns false also for unusual values of PATH.
func FindProgram(name, list string) (path string, ok bool) {
	if strings.Contains(name, "/") {
		return name, isProgram(name) == nil
	}
	for dir := range strings.SplitSeq(list, ":") {
		if !filepath.IsAbs(dir) {
			return "", false
		}
		path := dir + "/" + name
		switch err := isProgram(path); err {
		case nil:
			return path, true
		case unix.ENOENT, unix.ENOTDIR:
		default:
			return "", false
		}
	}
	return "", false
}

// isProgram returns nil for a regular file with an execute permission. It does not check whether this user has it: if
// exec fails, the command goes through the shell.
func isProgram(path string) error {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG || st.Mode&0o111 == 0 {
		return unix.EACCES
	}
	return nil
}
