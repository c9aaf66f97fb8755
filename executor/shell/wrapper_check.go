package shell

import (
	"fmt"
	"path"
	"strings"
)

// A WrapperProblem says why commands of nodes cannot be inserted into a wrapper.
type WrapperProblem struct {
	Message string // names the wrapper
	Why     string
	Correct string // the wrapper that is probably meant, or ""
}

// CheckWrapper returns the problem of a wrapper, or nil. shell reads the wrapper; "" is the default shell. For shells that
// are not of the Bourne family it always returns nil.
func CheckWrapper(wrapper, shell string) *WrapperProblem {
	if shell == Strict {
		shell = "bash"
	}
	if isNoWrapper(wrapper) || shell != "" && !isBourne(shell) {
		return nil
	}
	t := readTemplate(wrapper)
	p := &WrapperProblem{Message: fmt.Sprintf("the wrapper %q cannot hold the command of a node", wrapper)}
	if t.open != "" {
		p.Message = fmt.Sprintf("the wrapper %q has an open %s", wrapper, openWord(t.open))
		p.Why = "the shell could not read any command"
		return p
	}
	wrong := false
	for i := range t.holes {
		h := &t.holes[i]
		switch {
		case h.bad != "":
			p.Why = fmt.Sprintf("{} is in %s, where the text of a command cannot be quoted; pass it as an argument, "+
				`as in sh -c 'echo "$1"' x {}`, h.bad)
			return p
		case h.nested:
			p.Why = "{} is in quotes within a quoted text, and a quote in the command of a node would end them; " +
				`pass it as an argument, as in sh -c 'echo "$1"' x {}`
			return p
		case h.mistaken != notMistaken && !wrong:
			p.Why, wrong = h.why(), true
		}
	}
	if !wrong {
		return nil
	}
	p.Correct = t.corrected(shell)
	return p
}

// openWord returns how a message names an open quote or bracket.
func openWord(open string) string {
	if open == "'" || open == `"` {
		return open + " quote"
	}
	return open
}

// isBourne reports whether a shell, which may have options, reads commands as sh does.
func isBourne(shell string) bool {
	program, _, _ := strings.Cut(strings.TrimSpace(shell), " ")
	name := path.Base(program)
	return IsShell(name) && name != "fish"
}

func (h *hole) why() string {
	switch h.mistaken {
	case startedBy:
		return h.program + " starts a program without a shell, so the whole command of a node would be taken as the name of the program"
	case takenApart:
		return "ssh joins its words for the shell on the other side, so only the first word of a command would be executed"
	}
	return "{} is one word: at the beginning of a command, the whole command of a node would be taken as the name of a program"
}

// corrected returns the wrapper with a shell for each label that would be misread.
func (t *template) corrected(shell string) string {
	if shell = strings.TrimSpace(shell); shell == "" {
		shell = "sh"
	}
	var line strings.Builder
	from := 0
	for i := range t.holes {
		if h := &t.holes[i]; h.mistaken != notMistaken {
			line.WriteString(t.text[from:h.start] + strings.Replace(h.correct, "SHELL", shell, 1))
			from = h.end
		}
	}
	return line.String() + t.text[from:]
}

// LegacyWrapper converts the prefix and suffix of an older workfile to a wrapper. Older versions put blanks between them
// and the command, and quoted nothing.
func LegacyWrapper(prefix, suffix string) string {
	if strings.TrimSpace(prefix) == "" && strings.TrimSpace(suffix) == "" {
		return ""
	}
	before, behind := prefix, suffix
	t := readTemplate(prefix + placeholder)
	if len(t.holes) == 0 {
		return prefix + placeholder + suffix
	}
	h := &t.holes[len(t.holes)-1]
	if h.contexts[len(h.contexts)-1] != unquoted || h.bad != "" {
		return prefix + placeholder + suffix
	}
	if prefix != "" && !strings.HasSuffix(prefix, " ") && !strings.HasSuffix(prefix, "\t") && !strings.HasSuffix(prefix, "\n") {
		before += " "
		t = readTemplate(before + placeholder)
		h = &t.holes[len(t.holes)-1]
	}
	if behind != "" && !isSpace(behind[0]) {
		behind = " " + behind
	}
	switch h.mistaken {
	case asProgram:
		return before + "eval " + placeholder + behind // the same shell reads the command, as before
	case startedBy:
		return before + "sh -c " + placeholder + behind
	}
	return before + placeholder + behind
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }
