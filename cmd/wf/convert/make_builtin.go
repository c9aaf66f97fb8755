package convert

import (
	"path"
	"strings"
)

// builtinSources are the files from which the built-in rules of GNU make make a file, as a suffix of its
// name or a replacement of its extension. The list is from the chapter "Catalogue of Built-In Rules" of
// its manual.
var builtinSources = map[string][]string{
	"":      {".o", ".c", ".cc", ".cpp", ".C", ".p", ".f", ".F", ".m", ".r", ".s", ".S", ".mod", ".sh", ".y", ".l"},
	".o":    {".c", ".cc", ".cpp", ".C", ".p", ".f", ".F", ".m", ".r", ".s", ".S", ".mod", ".y", ".l"},
	".c":    {".y", ".l", ".w"},
	".s":    {".S"},
	".f":    {".F", ".r"},
	".r":    {".l"},
	".p":    {".web"},
	".tex":  {".w", ".web"},
	".dvi":  {".tex", ".texinfo", ".texi", ".txinfo"},
	".info": {".texinfo", ".texi", ".txinfo"},
}

// checkBuiltin refuses a target without a recipe if a built-in rule of make would make it: the rule is not in
// the makefile, and its command depends on variables of make.
func (r *makeReader) checkBuiltin(rule *makeRule) {
	if !rule.hasBody && !r.m.phony[rule.target] {
		r.refuseBuiltin(rule.target, r.builtinSource(rule.target, rule.needs), rule.line)
	}
}

// checkSource checks a file that no rule of the makefile makes. It must exist, otherwise make would fail.
func (r *makeReader) checkSource(need makeNeed) {
	if r.opt.Exists != nil && r.opt.Exists(need.name) {
		return
	}
	r.refuseBuiltin(need.name, r.builtinSource(need.name, nil), need.line)
	if r.opt.Exists != nil {
		panic(&Error{Line: need.line, Msg: "no rule makes " + clip(need.name) + ", and there is no such file",
			Fix: "correct its name, or write a rule for it"})
	}
	if stem, object := strings.CutSuffix(need.name, ".o"); object { // object files are not sources
		r.refuseBuiltin(need.name, stem+".c", need.line)
	}
}

// refuseBuiltin refuses a target that a built-in rule makes from source, if source is not "".
func (r *makeReader) refuseBuiltin(target, source string, line int) {
	if source != "" {
		panic(&Error{Line: line, Msg: "no rule of the makefile makes " + clip(target) + ": make would use a built-in rule and " + clip(source),
			Fix: "write the rule with its recipe into the makefile"})
	}
}

// builtinSource returns a file from which a built-in rule would make the target: a prerequisite, a target
// of the makefile or an existing file. It returns "" if there is none.
func (r *makeReader) builtinSource(target string, needs []makeNeed) string {
	if strings.HasSuffix(target, ")") && strings.Contains(target, "(") {
		return "its member" // of an archive
	}
	known := map[string]bool{}
	for _, need := range needs {
		known[need.name] = true
	}
	extension := path.Ext(target)
	stem := strings.TrimSuffix(target, extension)
	for _, way := range []struct {
		stem  string
		found []string
	}{{stem, builtinSources[extension]}, {target, builtinSources[""]}} {
		for _, found := range way.found {
			source := way.stem + found
			if known[source] || r.m.rules[source] != nil || r.opt.Exists != nil && r.opt.Exists(source) {
				return source
			}
		}
	}
	return ""
}

// maxChain is the maximum length of chains of pattern rules, maxTried the maximum number of tried rules
// for a makefile.
const (
	maxChain = 10
	maxTried = 1 << 20
)

// possible reports whether make could use a pattern rule with these prerequisites: each exists, is named
// in the makefile, or can be made by another pattern rule.
func (r *makeReader) possible(needs []makeNeed, depth int) bool {
	if r.opt.Exists == nil {
		return true
	}
	for _, need := range needs {
		if r.m.rules[need.name] == nil && !r.opt.Exists(need.name) && !r.byPattern(need.name, depth+1) {
			return false
		}
	}
	return true
}

func (r *makeReader) byPattern(name string, depth int) bool {
	if depth > maxChain || r.tried > maxTried {
		return false
	}
	for _, p := range r.m.patterns {
		r.tried++
		stem, ok := matchPattern(p.target, name)
		if ok && stem != "" && p.hasBody && r.possible(fillPattern(p.needs, stem), depth) {
			return true
		}
	}
	return false
}
