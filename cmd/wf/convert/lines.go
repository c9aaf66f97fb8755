package convert

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"wf/graph/pattern"
)

// Lines is the result of ReadLines: the commands of a list or of a simple script.
type Lines struct {
	Commands []string // of the nodes, in order
	Shell    string   // in the first line, if it is another one than sh
	Script   bool     // the first line names a shell, so the commands were written to run one after the other
	Notes    []string // sentences for display
}

// ReadLines reads one command per line. A command that continues in the next lines, with a backslash, a
// quote, a here-document or a word like for, is one; comments and blank lines are skipped. Every node has
// its own shell, so lines that only set up the shell (variables, cd, set, functions) are added to each
// command after them. A line whose meaning depends on a common shell is an *Error.
func ReadLines(data []byte) (*Lines, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	r := &lineReader{lines: strings.SplitAfter(string(data), "\n"), out: &Lines{}}
	err := catch(func() {
		checkText(data, `let the shell make the bytes: "$(printf '\377')"`)
		r.read(data)
	})
	if err != nil {
		return nil, err
	}
	return r.out, nil
}

// read reads the whole text.
func (r *lineReader) read(data []byte) {
	r.interpreter()
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(bytes.NewReader(data), "")
	if err != nil {
		failShell(err)
	}
	for i := 0; i < len(file.Stmts); {
		n := i + 1 // statements on the lines of one command belong to it
		for n < len(file.Stmts) && file.Stmts[n].Pos().Line() <= lastLine(file.Stmts[n-1]) {
			n++
		}
		next := uint(len(r.lines) + 1)
		if n < len(file.Stmts) {
			next = file.Stmts[n].Pos().Line()
		}
		r.command(file.Stmts[i:n], next)
		i = n
	}
	r.finish()
}

// failShell fails with an error of the parser of shell commands.
func failShell(err error) {
	var parse syntax.ParseError
	if errors.As(err, &parse) {
		panic(&Error{Line: int(parse.Pos.Line()), Msg: "a shell does not understand it: " + parse.Text, Fix: "every line must be a command for a shell"})
	}
	var other syntax.LangError
	if errors.As(err, &other) {
		panic(&Error{Line: int(other.Pos.Line()), Msg: "bash does not understand it: " + other.Feature, Fix: "every line must be a command for sh or bash"})
	}
	fail(1, "a shell does not understand it: %s", err)
}

// lastLine returns the line in which a statement ends.
func lastLine(s *syntax.Stmt) uint {
	line := s.End().Line()
	for _, r := range s.Redirs {
		if r.Hdoc != nil {
			line = max(line, r.Hdoc.End().Line())
		}
	}
	return line
}

type lineReader struct {
	lines   []string // with their ends
	out     *Lines
	setup   []string // commands that set up the shell, so far
	setupAt []string // their lines
	unused  bool     // no command follows the latest of them

	ownArguments bool // it has set $1 and the others itself
}

var shebang = pattern.Of(`^#![ \t]*(\S+)(?:[ \t]+(.*?))?[ \t]*\n?$`)

// interpreter reads the line that names the program of a script.
func (r *lineReader) interpreter() {
	m := shebang.Get().FindStringSubmatch(r.lines[0])
	if m == nil {
		return
	}
	program, options := path.Base(m[1]), m[2]
	if program == "env" {
		program, options, _ = strings.Cut(strings.TrimSpace(strings.TrimPrefix(options, "-S")), " ")
		program = path.Base(program)
	}
	r.out.Script = true
	switch program {
	case "sh", "dash":
	case "bash", "zsh", "ksh", "mksh":
		r.out.Shell = program
	default:
		panic(&Error{Line: 1, Msg: "this is a script for " + clip(program) + ", not for a shell", Fix: "run it as one node: wf edit add-node './SCRIPT'"})
	}
	if options = shellOptions(strings.Fields(options)); options != "" {
		r.setup, r.setupAt = append(r.setup, "set "+options), append(r.setupAt, "1")
	}
}

var (
	setOption     = pattern.Of(`^[-+][abefhkmnptuvxBCEHPT]*o?$`)
	setOptionName = pattern.Of(`^[a-z]+$`)
)

// shellOptions returns the options in the first line of a script as arguments of set, and fails if set does
// not understand one, because the shells of the nodes do not get the options in any other way.
func shellOptions(words []string) string {
	var options []string
	name := false // the word is the name after -o
	for _, word := range words {
		switch {
		case name && setOptionName.Get().MatchString(word):
			name = false
		case !name && (word == "-" || word == "--"): // the end of the options
			continue
		case !name && setOption.Get().MatchString(word):
			name = strings.HasSuffix(word, "o")
		default:
			panic(&Error{Line: 1, Msg: "the nodes cannot start their shells with " + clip(word), Fix: "take it away, or run the script as one node: wf edit add-node './SCRIPT'"})
		}
		options = append(options, word)
	}
	if name {
		panic(&Error{Line: 1, Msg: "the option -o of the shell has no name", Fix: "write it, for example -o pipefail"})
	}
	return strings.Join(options, " ")
}

// command reads the statements of one command. next is the line after it.
func (r *lineReader) command(stmts []*syntax.Stmt, next uint) {
	first := stmts[0].Pos().Line()
	setup := true
	for _, s := range stmts {
		r.checkOwnShell(s)
		setup = setup && onlySetsUp(s)
	}
	text := r.text(first, stmts[len(stmts)-1], next)
	if setup {
		if at := outputKept(stmts); at > 0 {
			panic(&Error{Line: int(at), Msg: "it keeps the output of a command in a variable, and the nodes would each run that command again",
				Fix: "let one node write it to a file or to $WF_OUTPUT, and the others read it"})
		}
		r.setup, r.setupAt, r.unused = append(r.setup, text), append(r.setupAt, fmt.Sprint(first)), true
		return
	}
	r.unused = false
	r.out.Commands = append(r.out.Commands, strings.Join(append(r.setup[:len(r.setup):len(r.setup)], text), "\n"))
}

// text returns the source from a line to the end of a statement: its whole last line, with a comment, and
// the lines of its here-documents, whose end marks do not belong to the statement.
func (r *lineReader) text(first uint, last *syntax.Stmt, next uint) string {
	end := lastLine(last)
	hdoc := false
	syntax.Walk(last, func(n syntax.Node) bool {
		if redirect, ok := n.(*syntax.Redirect); ok && (redirect.Op == syntax.Hdoc || redirect.Op == syntax.DashHdoc) {
			hdoc = true
		}
		return true
	})
	if hdoc { // up to the mark: only blank lines and comments are between it and the next command
		end = next - 1
		for end > first && isBlankOrComment(r.lines[end-1]) {
			end--
		}
	}
	return strings.TrimRight(strings.TrimLeft(strings.Join(r.lines[first-1:end], ""), " \t"), " \t\n")
}

func isBlankOrComment(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || line[0] == '#'
}

// finish adds notes about lines that were added to commands.
func (r *lineReader) finish() {
	if len(r.setup) == 0 {
		return
	}
	lines := strings.Join(r.setupAt, ", ")
	if len(r.out.Commands) == 0 {
		fail(1, "it contains no command, only lines that set up a shell")
	}
	r.out.Notes = append(r.out.Notes, fmt.Sprintf("every node has a shell of its own: what sets it up (line %s) stands before the commands that follow", lines))
	if r.unused {
		r.out.Notes = append(r.out.Notes, fmt.Sprintf("line %s is left out: no command follows it", r.setupAt[len(r.setupAt)-1]))
	}
}

// setupWords are the commands that only change the shell that runs them.
const setupWords = "cd pushd popd export set unset source . umask alias unalias shopt trap ulimit module readonly declare typeset hash eval"

// onlySetsUp reports whether a statement only changes the shell that runs it: variables, functions, cd,
// set and the like, or "cd DIR || exit".
func onlySetsUp(s *syntax.Stmt) bool {
	if s.Background || s.Negated {
		return false
	}
	switch c := s.Cmd.(type) {
	case *syntax.FuncDecl, *syntax.DeclClause:
		return true
	case *syntax.CallExpr:
		return len(c.Args) == 0 && len(c.Assigns) > 0 || len(c.Args) > 0 && hasWord(setupWords, c.Args[0].Lit())
	case *syntax.BinaryCmd:
		return onlySetsUp(c.X) && (onlySetsUp(c.Y) || ends(c.Y))
	}
	return false
}

// firstWord returns the program of a simple command, as far as it does not depend on expansions.
func firstWord(s *syntax.Stmt) string {
	if c, ok := s.Cmd.(*syntax.CallExpr); ok && len(c.Args) > 0 {
		return c.Args[0].Lit()
	}
	return ""
}

// ends reports whether a statement is exit, true or the like.
func ends(s *syntax.Stmt) bool {
	switch firstWord(s) {
	case "exit", "return", "true", ":":
		return true
	}
	return false
}

// outputKept returns the line of the first statement that stores the output of a command in a variable, or
// 0 if there is none. It skips the bodies of functions.
func outputKept(stmts []*syntax.Stmt) (line uint) {
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.FuncDecl:
				return false
			case *syntax.CmdSubst:
				line = n.Pos().Line()
			}
			return true
		})
	}
	return line
}

// checkOwnShell refuses a statement that depends on a common shell: a command in the background for which a
// later line waits, and the arguments of a script.
func (r *lineReader) checkOwnShell(s *syntax.Stmt) {
	line := int(s.Pos().Line())
	if s.Background {
		panic(&Error{Line: line, Msg: "it runs in the background, and would be ended when its node ends",
			Fix: "take the & away: nodes that no edge orders run at the same time"})
	}
	switch firstWord(s) {
	case "set":
		args := s.Cmd.(*syntax.CallExpr).Args
		r.ownArguments = r.ownArguments || len(args) > 1 && args[1].Lit() == "--"
	case "wait":
		panic(&Error{Line: line, Msg: "it waits for commands of the same shell, and every node has its own", Fix: "take the line away: edges say what waits for what"})
	}
	syntax.Walk(s, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.FuncDecl:
			return false // the arguments of the function
		case *syntax.ParamExp:
			if name := n.Param; name != nil && isArgument(name.Value) && !r.ownArguments {
				panic(&Error{Line: int(n.Pos().Line()), Msg: "$" + name.Value + " is an argument of the script, and a node has none",
					Fix: "write its value, or make it a parameter of the workfile: $WF_PARAM_NAME"})
			}
		}
		return true
	})
}

// isArgument reports whether a name is that of an argument: 1, 2, @ and so on, but not 0.
func isArgument(name string) bool {
	c, size := utf8.DecodeRuneInString(name)
	return name == "@" || name == "*" || size > 0 && c >= '1' && c <= '9'
}
