package flow

import (
	"slices"
	"strings"

	"wf/graph"
)

// attrSecrets is the attribute with the names of secret variables. Its names hold for the whole run, wherever it stands.
const attrSecrets = "secrets"

// AddMask in the attribute says that commands announce secret values, although no variable has any. A command that contains
// Announcement says the same.
const (
	AddMask      = "add-mask"
	Announcement = "::add-mask::"
)

// Secrets are what the values of the attribute secrets say, and the secret parameters.
type Secrets struct {
	Names []string // of variables, sorted, each once; secret parameters are among them as WF_PARAM_NAME, and with the variable of their default
	Any   bool     // something may be secret: there are names, or commands announce values
}

// secrets reads the attribute everywhere. It comes before the texts, because expressions cannot use secret variables.
func (r *reader) secrets() {
	text, _ := r.g.Attr(attrSecrets)
	r.secretNames(nil, text)
	for _, n := range r.g.Nodes() {
		if n.Extra != nil || n.Inherited() != nil {
			text, _ := n.Attr(attrSecrets)
			r.secretNames(n, text)
		}
		if part := n.Part(); part != nil { // the graph of another workfile
			text, _ := part.Attr(attrSecrets)
			r.secretNames(n, text)
		}
		r.f.Secrets.Any = r.f.Secrets.Any || strings.Contains(n.Label, Announcement)
	}
	s := &r.f.Secrets
	for i := range r.f.Params {
		p := &r.f.Params[i]
		if p.Type != Secret {
			continue
		}
		s.Names, s.Any = append(s.Names, ParamVariable(p.Name)), true
		if p.DefaultEnv != "" {
			s.Names = append(s.Names, p.DefaultEnv)
		}
	}
	slices.Sort(s.Names)
	s.Names = slices.Compact(s.Names)
}

// secretNames adds the names that the attribute of a node contains, nil = of the graph.
func (r *reader) secretNames(n *graph.Node, text string) {
	for _, name := range strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(", \t\r\n", c) }) {
		r.f.Secrets.Any = true
		if name == AddMask {
			continue
		}
		if !isVariable(name) {
			problem := "secrets: " + shown(name) + " is not the name of a variable; write names, not values, or " + AddMask + " if commands print ::add-mask::VALUE"
			if n != nil {
				r.nodeProblem(graph.Error, CodeSecrets, n, attrSecrets, "%s", problem)
			} else {
				r.graphError(CodeSecrets, attrSecrets, "%s", problem)
			}
			continue
		}
		r.f.Secrets.Names = append(r.f.Secrets.Names, name)
	}
}

// isVariable reports whether a text can be the name of an environment variable in a shell.
func isVariable(name string) bool {
	for i, c := range name {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}
