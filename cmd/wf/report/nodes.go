package report

import (
	"io"
	"time"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/tui/words"
)

// Nodes prints the nodes as a table. If the width of the terminal is known, commands are cut.
func Nodes(w io.Writer, p console.Paint, nodes []api.NodeStatus, width int) error {
	longest, subFlows, now := 0, subFlowsOf(nodes), time.Now()
	for _, n := range nodes {
		longest = max(longest, len([]rune(shownName(n, subFlows))))
	}
	room := 0
	if width > 0 {
		room = max(20, width-longest-26) // glyph, state and duration need the rest
	}
	var t console.Table
	for _, n := range nodes {
		t.Row(p.Glyph(n.Counted())+" "+shownName(n, subFlows), string(n.State), words.SpanMS(n.DurationMS), p.Clip(lsDetail(p, n, now), room))
	}
	return t.Write(w)
}
