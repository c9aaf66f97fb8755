package workfile

import (
	"errors"
	"fmt"
	"strings"

	"wf/api"
	"wf/graph"
	"wf/graph/difference"
	"wf/graph/merge"
	"wf/graph/text"
)

// text gives the workfile the meaning of a text. It is an edit like others: what the text does not show stays, and undo
// restores every byte. If the workfile has changed since the text was made, both changes are merged.
func (b *editBuilder) text(e api.Edit) error {
	wf, err := readText(e.Value)
	if err != nil {
		return err
	}
	base := b.f.g
	if e.Was != nil && *e.Was != b.presentText() {
		if base, err = b.textBase(*e.Was); err != nil {
			return err
		}
	}
	wanted, err := wf.Over(base, newNodeID)
	if err != nil {
		return textError(err)
	}
	d := difference.Of(base, wanted.Graph)
	edit, anew := d.Edit()
	if base != b.f.g {
		var conflicts []merge.Conflict
		if edit, conflicts = merge.Of(base, b.f.g, wanted.Graph); len(conflicts) > 0 {
			return textConflict(conflicts)
		}
	}
	if len(edit.Ops) == 0 {
		b.note("the workfile says what the text says already")
		return nil
	}
	before := grouping{b}.beginMove()
	if err := b.apply(edit, "changed as a text: "+countChanges(d)); err != nil {
		return err
	}
	if err := (grouping{b}).clearMoved(before.homes); err != nil {
		return err
	}
	for _, n := range d.Nodes {
		if n.Before == nil {
			b.added = append(b.added, n.After.ID)
		}
	}
	if other := anew - len(b.added); other > 0 {
		b.note(plural(other, "node") + " made a container or a command, without what the drawing of another program says about it")
	}
	return nil
}

func newNodeID(*text.Node) string { return graph.NewID() }

// presentText returns the text of the workfile as it is now, "" if it has none.
func (b *editBuilder) presentText() string {
	data, err := text.Write(b.f.g)
	if err != nil {
		return ""
	}
	return string(data)
}

// textBase returns the workflow that a text was made from, with what the text does not show as it is now.
func (b *editBuilder) textBase(was string) (*graph.Graph, error) {
	wf, err := readText(was)
	if err != nil {
		return nil, err
	}
	base, err := wf.Over(b.f.g, newNodeID)
	if err != nil {
		return nil, textError(err)
	}
	return base.Graph, nil
}

func readText(data string) (*text.Workflow, error) {
	wf, err := text.Read([]byte(data))
	if err != nil {
		return nil, textError(err)
	}
	return wf, nil
}

// textError returns the refusal of a text with mistakes.
func textError(err error) error {
	var mistakes text.Mistakes
	if !errors.As(err, &mistakes) {
		return err
	}
	first := mistakes[0]
	refusal := &api.Error{Code: api.CodeInvalid, Message: first.Message, Where: fmt.Sprintf("line %d, column %d of the text", first.Line, first.Column),
		Fix: first.Remedy}
	if rest := len(mistakes) - 1; rest > 0 {
		refusal.Why = plural(rest, "more mistake")
	}
	return refusal
}

// textConflict returns the refusal of a text that changes what others have changed meanwhile.
func textConflict(conflicts []merge.Conflict) error {
	var parts []string
	for _, c := range conflicts {
		first, _, _ := strings.Cut(c.Text, "\n")
		parts = append(parts, strings.TrimSpace(c.Element+": "+strings.ReplaceAll(first, " in theirs", " in the text")))
	}
	const most = 3
	if rest := len(parts) - most; rest > 0 {
		parts = append(parts[:most], fmt.Sprintf("%d more", rest))
	}
	return &api.Error{Code: api.CodeConflict, Message: "the workfile was changed by somebody else meanwhile, where the text changes it, too",
		Why: strings.Join(parts, "; "), Fix: "wf edit text again, and put your changes into the new text"}
}
