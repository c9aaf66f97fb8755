package graph

import (
	"strconv"
	"strings"
)

// AttrIdempotent is the node attribute which says that executing the command twice does no harm.
const AttrIdempotent = "idempotent"

// Idempotent reports whether the node may be executed again if its result is unknown, for instance
// after a restart of the machine. Every value that is not true means no.
func (n *Node) Idempotent() bool {
	text, _ := n.Attr(AttrIdempotent)
	yes, err := strconv.ParseBool(strings.ToLower(strings.TrimSpace(text)))
	return err == nil && yes
}
