package words

import (
	"errors"

	"wf/api"
	"wf/tui/plain"
)

// Error formats an error as one line: what happened, where and why, and the remedy.
func Error(err error) string {
	var refused *api.Error
	if !errors.As(err, &refused) {
		return plain.Line(err.Error())
	}
	text := refused.Message
	for _, part := range []string{refused.Where, refused.Why} {
		if part != "" {
			text += ": " + part
		}
	}
	if refused.Fix != "" {
		text += "; " + refused.Fix
	}
	return plain.Line(text)
}
