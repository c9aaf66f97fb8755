package convert

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

// nameBlocks names the blocks that execute something. Others only set up the shell for later ones.
func (r *scriptReader) nameBlocks() {
	taken := map[string]bool{}
	for _, block := range r.blocks {
		at := slices.IndexFunc(block.parts, func(p *scriptPart) bool { return !p.setsUp })
		if at < 0 {
			continue
		}
		base := block.title
		if base == "" {
			base = plainTitle(path.Base(firstWord(block.parts[at].stmts[0])))
		}
		if base == "" {
			base = "line " + strconv.Itoa(block.parts[at].line)
		}
		block.name = base
		for i := 2; taken[block.name]; i++ {
			block.name = fmt.Sprintf("%s %d", base, i)
		}
		taken[block.name] = true
	}
}

// prelude returns the parts of earlier blocks that a block needs, in order, and the lines of its attribute env.
func (r *scriptReader) prelude(at int) (parts []*scriptPart, env []string) {
	needed := map[string]bool{}
	for _, p := range r.blocks[at].parts {
		maps.Copy(needed, p.uses)
	}
	for _, name := range r.blocks[at].sends { // it may change the value in some cases only
		needed[name] = true
	}
	for i := at - 1; i >= 0; i-- {
		block := r.blocks[i]
		for _, name := range r.determined(block) {
			if !needed[name] || block.name == "" {
				continue
			}
			delete(needed, name)
			if !slices.Contains(block.sends, name) {
				block.sends = append(block.sends, name)
			}
			parts = append(parts, &scriptPart{text: fmt.Sprintf(`%s=$IN_%s`, name, name), from: block})
			env = append(env, fmt.Sprintf(`IN_%s=${{ nodes[%s].outputs.%s ?? "" }}`, name, strconv.Quote(block.name), name))
		}
		for k := len(block.parts) - 1; k >= 0; k-- {
			p := block.parts[k]
			if !p.setsUp || !p.always && !meets(p.defines, needed) {
				continue
			}
			maps.Copy(needed, p.uses)
			parts = append(parts, p)
		}
	}
	slices.Reverse(parts)
	return parts, env
}

// meets reports whether two sets have a common element.
func meets(a, b map[string]bool) bool {
	for name := range a {
		if b[name] {
			return true
		}
	}
	return false
}

// determined returns the variables that a block sets to values which depend on what its commands do.
func (r *scriptReader) determined(block *scriptBlock) []string {
	found := map[string]bool{}
	for _, p := range block.parts {
		if !p.setsUp {
			maps.Copy(found, p.defines)
			for used := range p.uses {
				maps.Copy(found, r.functions[used])
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// names finds the variables and functions that a part defines and uses.
func (r *scriptReader) names(p *scriptPart) {
	arithmetic := 0
	var open []syntax.Node
	for _, s := range p.stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			if n == nil {
				switch open[len(open)-1].(type) {
				case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause:
					arithmetic--
				}
				open = open[:len(open)-1]
				return true
			}
			open = append(open, n)
			switch n := n.(type) {
			case *syntax.ParamExp:
				if n.Param != nil {
					p.uses[n.Param.Value] = true
				}
			case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause:
				arithmetic++
			case *syntax.Lit:
				if arithmetic > 0 {
					p.uses[n.Value] = true
				}
			case *syntax.CallExpr:
				if len(n.Args) > 0 {
					p.uses[n.Args[0].Lit()] = true
				}
			}
			return true
		})
		defined(s, func(name string, line uint, list bool) {
			if list && !p.setsUp {
				panic(&Error{Line: int(line), Msg: name + " is a list whose value depends on a command, and later nodes cannot get it",
					Fix: "let one node write it to a file, and the others read it"})
			}
			p.defines[name] = true
		})
		if f, ok := s.Cmd.(*syntax.FuncDecl); ok && f.Name != nil {
			p.defines[f.Name.Value] = true
			sets := map[string]bool{}
			defined(f.Body, func(name string, _ uint, _ bool) { sets[name] = true })
			r.functions[f.Name.Value] = sets
		}
	}
}

// defined calls found for each variable that a statement sets in its own shell. Lists are arrays.
func defined(s *syntax.Stmt, found func(name string, line uint, list bool)) {
	syntax.Walk(s, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Subshell, *syntax.CmdSubst, *syntax.ProcSubst, *syntax.FuncDecl:
			return false
		case *syntax.DeclClause:
			if n.Variant.Value == "local" {
				return false
			}
			for _, a := range n.Args {
				if a.Name != nil && !a.Naked {
					found(a.Name.Value, a.Pos().Line(), a.Array != nil || a.Index != nil)
				}
			}
		case *syntax.CallExpr:
			if len(n.Args) == 0 {
				for _, a := range n.Assigns {
					found(a.Name.Value, a.Pos().Line(), a.Array != nil || a.Index != nil)
				}
				return true
			}
			switch n.Args[0].Lit() {
			case "read", "mapfile", "readarray", "getopts":
				for _, arg := range n.Args[1:] {
					if name := arg.Lit(); variable.Get().MatchString(name) {
						found(name, arg.Pos().Line(), n.Args[0].Lit() != "read" && n.Args[0].Lit() != "getopts")
					}
				}
			}
		case *syntax.WordIter:
			found(n.Name.Value, n.Pos().Line(), false)
		case *syntax.ParamExp:
			if n.Exp != nil && n.Param != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) {
				found(n.Param.Value, n.Pos().Line(), false)
			}
		}
		return true
	})
}
