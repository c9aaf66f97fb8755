package workspace

import (
	"errors"

	"wf/api"
	"wf/workspace/secrets"
)

// Hidden returns an answer without the secret values of the active runs. The records of runs contain none, so answers about other
// runs contain none either. It may be called on any goroutine.
func Hidden[A any](w *Workspace, answer A) A {
	if masks := w.preparer.secrets.All(); masks != nil {
		secrets.Hide(&answer, masks...)
	}
	return answer
}

// HiddenError is Hidden for an error.
func HiddenError(w *Workspace, err error) error {
	var e *api.Error
	if errors.As(err, &e) {
		return Hidden(w, e)
	}
	return err
}
