package graph

import (
	"strconv"
	"strings"
)

// AttrIdempotent says of a node that executing its command twice does no harm.
const AttrIdempotent = "idempotent"

// Idempotent says whether the node may be executed once more when nobody knows how it ended: after a
// restart of the machine, for instance. Anything but a true value says no.
func (n *Node) Idempotent() bool {
	text, _ := n.Attr(AttrIdempotent)
	yes, err := strconv.ParseBool(strings.ToLower(strings.TrimSpace(text)))
	return err == nil && yes
}
