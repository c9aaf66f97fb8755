package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/client/runview"
	"wf/tui/drawing"
)

// askTime is the minimum time between two inquiries. Instances may send thousands of events, and the interface
// requests only the details that are visible.
const askTime = 500 * time.Millisecond

// mostSubFlows is the maximum number of sub-flows in an inquiry; the next inquiry contains the others.
const mostSubFlows = 50

// An inquirer records which answers of the daemon are out of date.
type inquirer struct {
	subFlows  map[string]bool // names of the sub-flows with new events
	approvals bool
	ways      bool           // the fired edges
	pages     string         // the open instances that are up to date: see openText
	decided   map[string]int // number of decisions that were reported, by node
	busy      bool
	waits     bool // an inquiry message will arrive
	last      time.Time
}

// inquiry is the message that it is time to ask again.
type inquiry struct{}

// note marks the answers that a batch makes out of date. own is set if the questions of the open workfile are loaded.
func (a *inquirer) note(f *runview.Workfile, own bool, b batch) {
	for name := range b.inner {
		a.touch(name)
	}
	if len(b.inner) > 0 && own {
		a.approvals = true
	}
	a.approvals = a.approvals || b.asks
	if b.snapshot != nil {
		a.pages = "" // the open instances may have changed while the connection was lost
	}
	for _, ev := range b.answers {
		a.decide(ev)
	}
	for id := range b.nodes { // a sub-flow started or ended
		if i, known := f.Index[id]; known && f.Nodes[i].SubFlow != "" {
			a.touch(f.Nodes[i].Name)
		}
	}
	for _, ev := range b.events {
		if ev.Type == api.RunComplete && f.HasConditions() {
			a.ways = true
		}
	}
}

func (a *inquirer) touch(name string) {
	if a.subFlows == nil {
		a.subFlows = map[string]bool{}
	}
	a.subFlows[name] = true
}

// mostDecided is the maximum number of nodes whose decisions are counted.
const mostDecided = 1000

// decide counts a decision, so that the inspector requests the reasons of its node again.
func (a *inquirer) decide(ev api.Event) {
	if a.decided == nil || len(a.decided) >= mostDecided {
		a.decided = map[string]int{}
	}
	a.decided[ev.Node]++
}

// openText describes the open sub-flows and instances as a text that can be compared.
func (p *picture) openText(f *runview.Workfile) string {
	text := ""
	for _, in := range p.openPaths(f) {
		text += fmt.Sprintln(in.kind, in.path, in.selectors)
	}
	return text
}

// inquiryResult are the results of an inquiry.
type inquiryResult struct {
	subFlows  []api.NodeStatus
	approvals *[]api.Approval
	edges     []api.EdgeStatus
	pages     map[innerKey][]api.NodeStatus
}

// An innerKey is a page of an inquiry: some instances of a sub-flow, or one instance.
type innerKey struct {
	kind      innerKind
	path      string
	selectors string // of the instances, one a line
}

// inquire requests the data that is visible and out of date.
func (m *model) inquire() tea.Cmd {
	if !m.link.connected() || m.doc.nothingOpen() {
		return nil
	}
	return m.handle(m.inquirer.next(&m.doc, &m.inbox, m.now))
}

// next returns the next request for data that is visible and out of date, or nil. There is at most one at a time, and
// at most one every askTime.
func (a *inquirer) next(doc *document, in *inbox, now time.Time) tea.Msg {
	if doc.earlier != nil {
		a.pages = "" // request them when the current state is shown again
		return nil
	}
	if a.busy || a.waits {
		return nil
	}
	open := doc.picture.openText(&doc.flow)
	touched := len(a.subFlows) > 0
	if !touched && !a.approvals && !a.ways && open == a.pages {
		return nil
	}
	if wait := askTime - now.Sub(a.last); wait > 0 && open == a.pages {
		a.waits = true
		return tea.Tick(wait, func(time.Time) tea.Msg { return inquiry{} })
	}
	q := a.question(doc, in)
	a.busy, a.last, a.pages = true, now, open
	return q
}

// question returns the request of an inquiry.
func (a *inquirer) question(doc *document, in *inbox) tea.Msg {
	var subFlows []string
	for name := range a.subFlows {
		if len(subFlows) == mostSubFlows {
			break
		}
		delete(a.subFlows, name)
		if i := doc.flow.SubFlowNamed(name); i >= 0 {
			subFlows = append(subFlows, doc.flow.Nodes[i].ID)
		}
	}
	slices.Sort(subFlows)
	var pages []innerKey
	for _, in := range doc.picture.openPaths(&doc.flow) {
		pages = append(pages, innerKey{in.kind, in.path, strings.Join(in.selectors, "\n")})
	}
	approvals, ways := a.approvals, a.ways
	a.approvals, a.ways = false, false
	r := ask(func(ctx context.Context, ws *client.Workspace) (inquiryResult, error) {
		return sendInquiry(ctx, ws, subFlows, pages, approvals, ways)
	}, func(got inquiryResult) tea.Msg {
		a.busy = false
		doc.applyInquiry(got)
		if got.approvals == nil {
			return nil
		}
		return in.take(*got.approvals)
	})
	r.fail = func(error) tea.Msg { // the connection is lost; the model reconnects and receives a new snapshot
		a.busy = false
		return nil
	}
	return r
}

// sendInquiry sends the requests of an inquiry.
func sendInquiry(ctx context.Context, ws *client.Workspace, subFlows []string, pages []innerKey, approvals, ways bool) (got inquiryResult, err error) {
	if len(subFlows) > 0 {
		list, err := ws.Select(ctx, subFlows)
		if err != nil {
			return got, err
		}
		got.subFlows = list.Nodes
	}
	got.pages = map[innerKey][]api.NodeStatus{}
	for _, p := range pages {
		selectors := []string{p.path}
		if p.kind == aPage {
			selectors = strings.Split(p.selectors, "\n")
		}
		list, err := ws.Select(ctx, selectors)
		if err != nil {
			continue // the instance does not exist any more
		}
		got.pages[p] = list.Nodes
	}
	if approvals {
		list, err := ws.Approvals(ctx)
		if err != nil {
			return got, err
		}
		got.approvals = &list.Approvals
	}
	if ways {
		s, err := ws.Status(ctx, true)
		if err != nil {
			return got, err
		}
		got.edges = s.Edges
	}
	return got, nil
}

// applyInquiry stores the results of an inquiry.
func (d *document) applyInquiry(got inquiryResult) {
	for _, n := range got.subFlows {
		d.flow.SetSummary(clean(n))
	}
	for key, nodes := range got.pages {
		page := d.picture.page(key.path)
		page.nodes, page.known = map[int][]api.NodeStatus{}, true
		for _, n := range nodes {
			n = clean(n)
			at := 0
			if key.kind == aPage {
				at = runview.NumberBelow(key.path, n.ID)
			}
			page.nodes[at] = append(page.nodes[at], n)
		}
	}
	if got.edges != nil {
		d.flow.SetWays(got.edges)
	}
}

// idles reports whether nothing on a page changes every second.
func (d *document) idles(on page) bool {
	c := d.flow.Count(d.flow.Current().Run)
	if c.Running+c.Queued > 0 || c.Waiting+c.Retrying == 0 {
		return false
	}
	for i := range d.flow.Nodes {
		if n := &d.flow.Nodes[i]; n.Wait != nil && n.Wait.Until != nil && (on == inboxPage || on == mainPage && d.picture.visible(i)) {
			return false
		}
	}
	return true
}

// visible reports whether a node is visible.
func (p *picture) visible(i int) bool {
	if p.layout == nil {
		return false
	}
	r := p.layout.Where(drawing.NodeItem(i))
	return p.node() == i || r.W > 0 && r.Y >= p.from.Y && r.Y < p.from.Y+p.height && r.X+r.W > p.from.X && r.X < p.from.X+p.width
}
