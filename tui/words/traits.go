package words

import (
	"fmt"
	"strings"

	"wf/api"
)

// Traits returns what is special about a node before it runs, in short words: how it repeats its nodes, how often it is
// repeated after a failure, and that a person decides.
func Traits(n *api.NodeStatus) string {
	var parts []string
	if n.SubFlow != "" {
		parts = append(parts, n.SubFlow)
	}
	if n.Retries > 0 {
		parts = append(parts, fmt.Sprintf("retry %d", n.Retries))
	}
	if n.Approve {
		parts = append(parts, "asks")
	}
	return strings.Join(parts, " ")
}

// Attempt returns which attempt a node is at, such as "attempt 2 of 4", or "" for the first one.
func Attempt(n *api.NodeStatus) string {
	if n.Attempt == 0 {
		return ""
	}
	if n.Retries < n.Attempt { // the workfile has been edited since
		return fmt.Sprintf("attempt %d", n.Attempt+1)
	}
	return fmt.Sprintf("attempt %d of %d", n.Attempt+1, n.Retries+1)
}
