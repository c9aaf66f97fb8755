package flow

import (
	"iter"
	"strings"

	"wf/graph"
	"wf/scheduler/expression"
)

// The attributes of Files.
const (
	attrInputs      = "inputs"
	attrOutputs     = "outputs"
	attrVersion     = "cache_version"
	attrKeepPartial = "keep_partial"
)

// files reads the files that a command reads and makes.
func (a *nodeReader) files() {
	names := [...]string{attrInputs, attrOutputs, attrVersion, attrKeepPartial}
	if a.n.Container { // the command that prints its items
		for _, name := range names {
			if a.text(name) != "" {
				a.warn(CodeUseless, name, "%s has no effect on a sub-flow: its items are listed anew in each run; write it on the nodes in it", name)
			}
		}
		return
	}
	keep := a.word(attrKeepPartial, "false", "true") == "true"
	if a.text(attrOutputs) == "" {
		a.needs(attrOutputs, attrVersion, attrKeepPartial)
		if a.text(attrInputs) == "" {
			return
		}
	}
	a.rules.Files = &Files{Inputs: a.template(attrInputs), Outputs: a.template(attrOutputs), Version: a.template(attrVersion), KeepPartial: keep}
}

// DeclaredFiles returns the attributes inputs and outputs of a command as they are written.
func DeclaredFiles(n *graph.Node) (inputs, outputs string) {
	if n.Container || n.Extra == nil && n.Inherited() == nil {
		return "", ""
	}
	inputs, _ = n.Attr(attrInputs)
	outputs, _ = n.Attr(attrOutputs)
	return strings.TrimSpace(inputs), strings.TrimSpace(outputs)
}

// InputTexts yields the declared inputs of all commands, each with the sub-flow that the command belongs to, nil for none.
func (f *Flow) InputTexts() iter.Seq2[*graph.Node, *expression.Text] {
	return func(yield func(*graph.Node, *expression.Text) bool) {
		for n, rules := range f.rules {
			if rules.Files != nil && rules.Files.Inputs != nil && !yield(n.Home(), rules.Files.Inputs) {
				return
			}
		}
	}
}
