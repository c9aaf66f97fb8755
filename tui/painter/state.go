package painter

import (
	"strconv"
	"strings"

	"wf/api"
	"wf/graph/picture"
	"wf/tui/words"
)

// urgent are the states that the note of a stage names, because somebody looks for them. The signs of all others are less
// severe than these, or the sign of the stage says it all.
var urgent = [...]api.State{api.StateFailed, api.StateWaiting, api.StateRetrying, api.StateRunning}

// Progress returns the note of a stage: how many of its nodes are done, and how many are in the most urgent state, such
// as "6/8 ✗1"; "" before anything happened. If nodes failed while others wait or run, it names all of them, "✗1◆2●1", or
// only their signs if the numbers do not fit the room that drawings have.
func Progress(c api.Counts, ascii bool) string {
	signs, numbers, kinds := "", "", 0
	for _, s := range urgent {
		if n := c.Of(s); n > 0 {
			sign := words.LookOf(s).Sign(ascii)
			signs, numbers, kinds = signs+sign, numbers+sign+strconv.Itoa(n), kinds+1
		}
	}
	switch {
	case kinds > 3:
		return signs
	case kinds > 1:
		return numbers
	}
	worst := c.Worst()
	text := ""
	if done := c.OK + c.Kept + c.Handled; done > 0 || worst != api.StateIdle {
		text = strconv.Itoa(done) + "/" + strconv.Itoa(c.Total())
	}
	switch worst {
	case api.StateIdle, api.StateOK, api.StateKept, api.StateSkipped, api.StateHandled:
	default:
		text += " " + words.LookOf(worst).Sign(ascii) + strconv.Itoa(c.Of(worst))
	}
	return text
}

// A Way is what has become of an edge.
type Way struct {
	From        api.State // of its source
	Taken, Dead bool      // it has fired, or never will
}

// A LineLook is how a piece of a track is painted.
type LineLook struct {
	Dead  bool      // all edges there are dead: faint
	Taken bool      // one has fired
	State api.State // the state whose colour it has; "" = none
}

// LookOf returns the look of a piece of a track, -1 for all of it: that of the most urgent edge there. way returns what
// has become of an edge, and whether it counts.
func LookOf(t *picture.Track, piece int, way func(edge int) (w Way, counts bool)) LineLook {
	look, worst := LineLook{Dead: true}, api.StateKept
	for i := range t.Arcs {
		a := &t.Arcs[i]
		if piece >= 0 && !t.Carries(&t.Pieces[piece], a) {
			continue
		}
		for _, e := range a.Edges {
			w, counts := way(e)
			if !counts {
				continue
			}
			look.Dead = look.Dead && w.Dead
			look.Taken = look.Taken || w.Taken
			if api.Severity(w.From) < api.Severity(worst) {
				worst = w.From
			}
		}
	}
	switch {
	case look.Dead:
	case look.Taken:
		look.State = api.StateOK
	default:
		look.State = lineState(worst)
	}
	return look
}

// lineState returns the state whose colour lines have behind a node.
func lineState(s api.State) api.State {
	switch s {
	case api.StateRunning, api.StateFailed, api.StateWaiting, api.StateRetrying:
		return s
	case api.StateOK, api.StateKept:
		return api.StateOK
	}
	return ""
}

// ShortNames returns names without what comes before a point, colon or slash in at least half of them, such as the name
// of the workflow.
func ShortNames(names []string) []string {
	names = append([]string(nil), names...)
	for {
		beginnings := map[string]int{}
		common := ""
		for _, name := range names {
			if i := strings.IndexAny(name, ".:/"); i > 0 && i < len(name)-1 {
				beginnings[name[:i+1]]++
				if n := beginnings[name[:i+1]]; n > 2 && 2*n >= len(names) {
					common = name[:i+1]
				}
			}
		}
		if common == "" {
			return names
		}
		for i := range names {
			if rest, found := strings.CutPrefix(names[i], common); found && rest != "" {
				names[i] = rest
			}
		}
	}
}
