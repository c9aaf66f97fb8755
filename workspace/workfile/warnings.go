package workfile

import (
	"context"

	"wf/graphml"
	"wf/workspace/loop"
)

// RenewWarnings parses the file as it would be written now. Then Warnings no longer contains problems that edits have
// corrected, and contains those that edits have caused.
func (f *File) RenewWarnings(ctx context.Context) error {
	if err := f.Refresh(ctx); err != nil {
		return err
	}
	type state struct {
		doc    *graphml.Document
		pieces graphml.Pieces
	}
	s, err := loop.Ask(ctx, f.cfg.Loop, func() (state, error) {
		if f.edits.idle() {
			return state{}, nil
		}
		return state{f.doc, f.doc.Render()}, nil
	})
	if err != nil || s.doc == nil {
		return err
	}
	_, _, warnings, err := graphml.Parse(whole(s.pieces), graphml.Limits{})
	if err != nil {
		return nil // what wf writes can be read; if not, the next read reports it
	}
	_, err = loop.Ask(ctx, f.cfg.Loop, func() (struct{}, error) {
		if f.doc == s.doc {
			f.warnings = warnings
		}
		return struct{}{}, nil
	})
	return err
}
