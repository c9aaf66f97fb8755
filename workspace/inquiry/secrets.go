package inquiry

import (
	"wf/workspace/secrets"
)

// hidden returns an answer about run n without the secret values of the run. The records contain none, but an answer may also contain
// what a request said, or what a command that has not ended has written. If the masks cannot be read, that is shown as it is.
func hidden[A any](q *Reader, n int, answer A) A {
	if n == 0 {
		return answer
	}
	masks, err := q.secrets.Of(q.store.Dir(n))
	if err != nil || masks == nil {
		return answer
	}
	_ = masks.CatchUp() // readers of the output get the error
	secrets.Hide(&answer, masks)
	return answer
}
