package scheduler

import "wf/scheduler/flow"

// A cursor points to a node of a run, with short forms for the run's data about it. It is a value
// of two words: cursors are made where they are needed and never stored.
type cursor struct {
	*Run
	node nodeID
}

func (c cursor) entry() *node          { return &c.nodes[c.node] }
func (c cursor) instance() *instance   { return c.instanceOf(c.node) }
func (c cursor) extras() *extras       { return c.extrasOf(c.node) }       // nil if it has none
func (c cursor) ensureExtras() *extras { return c.ensureExtrasOf(c.node) } // makes them if it has none
func (c cursor) rules() *flow.Rules    { return c.rulesOf(c.node) }        // nil if it has none
func (c cursor) layout() *layout       { return c.subOf(c.node) }          // of a sub-flow; nil for a command
