package runstate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"wf/executor"
	"wf/graph"
	"wf/scheduler/expression"
	"wf/scheduler/flow"
	"wf/workspace/history"
	"wf/workspace/secrets"
)

// blanks is how many bytes around a text that is kept may be blanks.
const blanks = 4096

// ReadPrinted reads what a command printed, as expressions see it: without blanks at both ends and without the secrets that masks
// hide. dir is the folder of the run.
func ReadPrinted(dir string, out executor.Range, masks *secrets.Masks) (*expression.Kept, error) {
	length := out.End - out.Start
	switch {
	case out.File == "" || length <= 0:
		return expression.Keep(""), nil
	case length > expression.MaxKept+blanks:
		return &expression.Kept{Bytes: length}, nil
	}
	f, err := secrets.OpenRaw(dir, out)
	if err != nil {
		return nil, fmt.Errorf("what it printed cannot be read: %w", err)
	}
	defer f.Close()
	text := make([]byte, length)
	if _, err := f.ReadAt(text, out.Start); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("what it printed cannot be read: %w", err)
	}
	return expression.Keep(strings.TrimSpace(string(masks.Bytes(text)))), nil
}

// printed reports whether a text of the workfile reads what a node prints. f is nil for a run without control flow.
func printed(f *flow.Flow, n *graph.Node) bool { return f != nil && f.Printed(n) }

// outputOf returns how the output of a node is kept, if that is not the same as for most nodes: as its attribute says, otherwise split if
// a text reads its standard output.
func outputOf(f *flow.Flow, n *graph.Node) graph.Output {
	if own := n.Output(); own != graph.OutputUnsaid || !printed(f, n) {
		return own
	}
	return graph.OutputSplit
}

// stdoutOf returns what a command printed, from the record of its end, or of the earlier end that still holds; nil if the record does not contain it.
func stdoutOf(rec history.Record) *expression.Kept {
	var kept expression.Kept
	if rec.Stdout == nil || json.Unmarshal(rec.Stdout, &kept) != nil {
		return nil
	}
	return &kept
}
