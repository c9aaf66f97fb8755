package convert

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// A scriptBlock is the part of a script between two comments; it becomes a node.
type scriptBlock struct {
	title string // what the comment says; may be empty
	line  int
	parts []*scriptPart
	name  string
	sends []string // variables whose values later blocks get
}

// A scriptPart is one command of a script, or the value of a variable that an earlier block has determined.
type scriptPart struct {
	text    string
	line    int
	stmts   []*syntax.Stmt
	setsUp  bool // it only changes the shell, in the same way wherever it is repeated
	always  bool // it changes more than variables and functions
	defines map[string]bool
	uses    map[string]bool
	from    *scriptBlock // of a value: the block that sends it
}

// A scriptReader splits a shell script at its comments. Each block is a node of a chain and has a shell of its own, so
// what a block does to the shell is repeated before the later blocks that need it.
type scriptReader struct {
	lineReader
	b         *builder
	blocks    []*scriptBlock
	functions map[string]map[string]bool // variables that functions set, by their names
	arguments map[int]bool               // arguments of the script: true if it has no other value for a missing one
}

// readScript reads a shell script.
func readScript(b *builder, data []byte) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	r := &scriptReader{b: b, functions: map[string]map[string]bool{}, arguments: map[int]bool{}}
	r.lineReader = lineReader{lines: strings.SplitAfter(string(data), "\n"), out: &Lines{}}
	r.interpreter()
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(bytes.NewReader(data), "")
	if err != nil {
		failShell(err)
	}
	r.split(file)
	r.nameBlocks()
	r.build()
}

// split makes blocks of the statements.
func (r *scriptReader) split(file *syntax.File) {
	end := uint(0) // the last line of the statement before
	for i := 0; i < len(file.Stmts); {
		n := i + 1
		for n < len(file.Stmts) && file.Stmts[n].Pos().Line() <= lastLine(file.Stmts[n-1]) {
			n++
		}
		stmts := file.Stmts[i:n]
		first, next := stmts[0].Pos().Line(), uint(len(r.lines)+1)
		if n < len(file.Stmts) {
			next = file.Stmts[n].Pos().Line()
		}
		if title, found := r.comment(end, first, i == 0); found || r.blocks == nil {
			r.blocks = append(r.blocks, &scriptBlock{title: title, line: int(first)})
		}
		block := r.blocks[len(r.blocks)-1]
		block.parts = append(block.parts, r.part(stmts, r.text(first, stmts[len(stmts)-1], next)))
		end = lastLine(stmts[len(stmts)-1])
		i = n
	}
	if len(r.blocks) == 0 {
		fail(1, "it contains no command")
	}
}

// comment returns what the comment before a statement says. A comment at the start of the file, with an empty line after
// it, is about the whole script.
func (r *scriptReader) comment(after, before uint, atStart bool) (title string, found bool) {
	var group []string
	for _, line := range r.lines[after : before-1] {
		line = strings.TrimSpace(line)
		switch {
		case line == "" && atStart:
			group = nil
		case strings.HasPrefix(line, "#!"), strings.HasPrefix(line, "# shellcheck"):
		case strings.HasPrefix(line, "#"):
			found = true
			group = append(group, line)
		}
	}
	for _, line := range group {
		if title := plainTitle(line); title != "" {
			return title, true
		}
	}
	return "", found
}

// plainTitle returns a comment as the name of a node: without decoration, and without characters that mean something in
// selectors.
func plainTitle(line string) string {
	text := strings.Map(func(c rune) rune {
		if strings.ContainsRune(",:+*?[]{}|\"'`", c) || unicode.IsControl(c) {
			return ' '
		}
		return c
	}, line)
	text = strings.Trim(text, "#-=~_./ \t!>")
	words := strings.Fields(text)
	text = ""
	for _, word := range words {
		if len(text)+len(word) > 40 && text != "" {
			break
		}
		text = strings.TrimSpace(text + " " + word)
	}
	if len(text) > 60 || !strings.ContainsFunc(text, unicode.IsLetter) {
		return ""
	}
	return text
}

// part describes the statements of one command, and refuses what cannot be in a shell of its own.
func (r *scriptReader) part(stmts []*syntax.Stmt, text string) *scriptPart {
	p := &scriptPart{text: text, line: int(stmts[0].Pos().Line()), stmts: stmts, setsUp: outputKept(stmts) == 0, defines: map[string]bool{}, uses: map[string]bool{}}
	for _, s := range stmts {
		p.setsUp = p.setsUp && (onlySetsUp(s) || ends(s) && firstWord(s) != "exit")
		p.always = p.always || !onlyNames(s)
		r.refuse(s)
	}
	r.names(p)
	return p
}

// environmentNames are variables that programs read, so that every later command may need them.
const environmentNames = "PATH LD_LIBRARY_PATH LANG LC_ALL TMPDIR TZ IFS HOME PYTHONPATH"

// onlyNames reports whether a statement only defines variables or functions that commands use by their names.
func onlyNames(s *syntax.Stmt) bool {
	switch c := s.Cmd.(type) {
	case *syntax.FuncDecl:
		return true
	case *syntax.DeclClause:
		return c.Variant.Value != "export" && !slices.ContainsFunc(c.Args, func(a *syntax.Assign) bool { return a.Naked })
	case *syntax.CallExpr:
		return len(c.Args) == 0 && !slices.ContainsFunc(c.Assigns, func(a *syntax.Assign) bool { return hasWord(environmentNames, a.Name.Value) })
	}
	return false
}

// refuse fails for what would mean something else in several shells.
func (r *scriptReader) refuse(s *syntax.Stmt) {
	line := int(s.Pos().Line())
	switch firstWord(s) {
	case "trap":
		panic(&Error{Line: line, Msg: "a trap of the whole script would act at the end of every node",
			Fix: "write what it does as a node of its own, or put the trap into the commands that need it"})
	case "exec":
		if call := s.Cmd.(*syntax.CallExpr); len(call.Args) == 1 {
			panic(&Error{Line: line, Msg: "it redirects the output of the whole script, and every node has a shell of its own",
				Fix: "take it away: wf logs shows the output of every node"})
		}
	case "exit":
		if call := s.Cmd.(*syntax.CallExpr); len(call.Args) < 2 || call.Args[1].Lit() == "0" {
			r.b.note("line %d: exit ends only its node: the nodes after it run", line)
		}
	}
	syntax.Walk(s, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.FuncDecl:
			return false
		case *syntax.ParamExp:
			if n.Param != nil && isArgument(n.Param.Value) && !r.ownArguments {
				r.argument(n)
			}
		}
		return true
	})
	if call, ok := s.Cmd.(*syntax.CallExpr); ok && firstWord(s) == "set" && len(call.Args) > 1 && call.Args[1].Lit() == "--" {
		r.ownArguments = true
	}
}

// argument notes an argument of the script, which becomes a parameter.
func (r *scriptReader) argument(n *syntax.ParamExp) {
	number, err := strconv.Atoi(n.Param.Value)
	if err != nil || number > 99 {
		panic(&Error{Line: int(n.Pos().Line()), Msg: "$" + n.Param.Value + " stands for any number of arguments, and a workfile has named parameters",
			Fix: "write $1, $2 …, or the values"})
	}
	required, known := r.arguments[number]
	r.arguments[number] = n.Exp == nil && (required || !known)
}

// build makes the nodes, in a chain.
func (r *scriptReader) build() {
	var before *scriptBlock
	stops := len(r.setup) > 0 && strings.Contains(r.setup[0], "e")
	preludes, envs := make([][]*scriptPart, len(r.blocks)), make([][]string, len(r.blocks))
	for i := len(r.blocks) - 1; i >= 0; i-- { // later blocks first: they say what the earlier ones send
		if r.blocks[i].name != "" {
			preludes[i], envs[i] = r.prelude(i)
		}
	}
	var repeated []*scriptPart
	for i, block := range r.blocks {
		for _, p := range block.parts {
			stops = stops || firstWord(p.stmts[0]) == "set"
		}
		if block.name == "" {
			continue
		}
		prelude, env := preludes[i], envs[i]
		lines := slices.Clone(r.setup)
		lines = append(lines, r.argumentLine()...)
		for _, p := range prelude {
			lines = append(lines, p.text)
			if p.from == nil && !slices.Contains(repeated, p) {
				repeated = append(repeated, p)
			}
		}
		for _, p := range block.parts {
			lines = append(lines, p.text)
		}
		setCommand(r.b.node(block.name, block.line), strings.Join(lines, "\n"))
		if len(env) > 0 {
			setAttr(r.b.node(block.name, block.line), "env", strings.Join(env, "\n"))
		}
		if before != nil {
			r.b.edge(before.name, block.name, link{}, block.line)
		}
		before = block
	}
	if before == nil {
		fail(1, "it contains no command, only lines that set up a shell")
	}
	r.send()
	if r.out.Shell != "" {
		r.b.attr("shell", r.out.Shell)
	}
	r.declareArguments()
	r.notes(repeated, stops)
}

// argumentLine returns a line that sets the arguments of the script.
func (r *scriptReader) argumentLine() []string {
	if len(r.arguments) == 0 {
		return nil
	}
	line := "set --"
	for i := range slices.Max(slices.Collect(maps.Keys(r.arguments))) {
		line += fmt.Sprintf(` "$WF_PARAM_ARG%d"`, i+1)
	}
	return []string{line}
}

// declareArguments declares the arguments of the script as parameters.
func (r *scriptReader) declareArguments() {
	if len(r.arguments) == 0 {
		return
	}
	declared := map[string]map[string]any{}
	for i := range slices.Max(slices.Collect(maps.Keys(r.arguments))) {
		declared[fmt.Sprintf("arg%d", i+1)] = map[string]any{"type": "string", "default": ""}
		if r.arguments[i+1] {
			declared[fmt.Sprintf("arg%d", i+1)] = map[string]any{"type": "string", "required": true}
		}
	}
	text, _ := json.Marshal(declared) // texts only
	r.b.attr("params", string(text))
	r.b.note("the arguments of the script are parameters: wf run -p arg1=…")
}

// send adds lines to blocks that pass values of variables on to later blocks.
func (r *scriptReader) send() {
	for _, block := range r.blocks {
		if len(block.sends) == 0 {
			continue
		}
		n := r.b.node(block.name, block.line)
		n.Command += "\nwf_status=$?"
		for _, name := range block.sends {
			n.Command += fmt.Sprintf("\nprintf '%s<<WF_OUTPUT_END\\n%%s\\nWF_OUTPUT_END\\n' \"${%s-}\" >> \"$WF_OUTPUT\"", name, name)
		}
		n.Command += "\nexit $wf_status"
		r.b.note("line %d: values that %s determines are outputs of its node, and variables of the nodes that use them: %s",
			block.line, block.name, strings.Join(block.sends, ", "))
	}
}

// notes lists what is different in nodes with shells of their own.
func (r *scriptReader) notes(repeated []*scriptPart, stops bool) {
	var lines []string
	slices.SortFunc(repeated, func(a, b *scriptPart) int { return a.line - b.line })
	for _, p := range repeated {
		lines = append(lines, strconv.Itoa(p.line))
	}
	if len(lines) > 0 {
		r.b.note("every node has a shell of its own: what sets it up (line %s) stands before the commands that need it", listed(lines))
	}
	if !stops && len(r.b.wf.Nodes) > 1 {
		r.b.note("the script goes on after a failure; here, nodes after a failed one do not run. For that: wf edit set-edge A B when done")
	}
}
