package flow

import (
	"strings"

	"wf/graph"
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
