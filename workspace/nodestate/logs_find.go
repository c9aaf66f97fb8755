package nodestate

import (
	"strings"
)

// IsPath reports whether a text names a node of an instance.
func IsPath(text string) bool { return strings.Contains(text, "]/") }
