package tui

import (
	"strings"
	"testing"
	"time"

	"wf/api"
	"wf/tui/cells"
	"wf/tui/drawing"
)

func TestSteps(t *testing.T) {
	for _, one := range []struct {
		took, longest time.Duration
		want          uint8
	}{{100, 100, 5}, {51, 100, 5}, {50, 100, 4}, {26, 100, 4}, {25, 100, 3}, {13, 100, 3}, {7, 100, 2}, {5, 100, 1}, {1, 100, 1}, {1, 1, 5}} {
		if got := step(one.took, one.longest); got != one.want {
			t.Errorf("%d of %d is step %d, want %d", one.took, one.longest, got, one.want)
		}
	}
}

// TestTintIsAColourAndASign: In each view the name of the slowest node has another colour than that of a fast one. Without the tint the
// texts and colours are as before.
func TestTintIsAColourAndASign(t *testing.T) {
	for _, view := range []drawing.View{drawing.Chart, drawing.List} {
		m := testModel(200, 40, pipeline(3))
		m.doc.picture.view, m.doc.picture.chosen = view, true
		m.refresh()
		before := frame(m)
		press(m, "T")
		got := frame(m)
		if !strings.Contains(got, "▇") || !strings.Contains(got, "▄") {
			t.Errorf("%v has no signs:\n%s", view, got)
		}
		slow, fast := colorOf(m, "align_S000"), colorOf(m, "index_ref")
		if slow == fast || slow == cells.Plain.FG {
			t.Errorf("%v: the colours are %v and %v", view, slow, fast)
		}
		press(m, "T", "T")
		m.toast.clear()
		m.refresh()
		if after := frame(m); after != before {
			t.Errorf("%v without the tint is\n%s\nand was\n%s", view, after, before)
		}
	}
}

// colorOf returns the colour of the name of a node on the screen. The drawing is left of everything else that names it.
func colorOf(m *model, name string) cells.Color {
	m.draw()
	for y := range m.term.height {
		row := m.term.screen.All().Row(y)
		for x := range row.Width - len(name) {
			text := ""
			for i := range len(name) {
				text += row.At(x+i, 0).Text
			}
			if text == name {
				return row.At(x, 0).Style.FG
			}
		}
	}
	return 0
}

// TestRecordKnowsInstances: A sub-flow is on the critical path if one of its instances is, and runs from the first start to the last end
// in its instances.
func TestRecordKnowsInstances(t *testing.T) {
	at := func(s int) *time.Time { return ptr(noon.Add(time.Duration(s) * time.Second)) }
	d := api.RunDetail{RunSummary: api.RunSummary{Run: "1"}, Execs: []api.Execution{
		{Node: "each[0]/t", Started: at(2), Ended: at(3)}, {Node: "each[1]/t", Started: at(1), Ended: at(9)}, {Node: "a", Started: at(0), Ended: at(1)},
		{Node: "open[0]/t", Started: at(1)}, {Node: "open[1]/t", Started: at(2), Ended: at(3)}},
		Analysis: &api.Analysis{Critical: []api.PathStep{{Node: "a"}, {Node: "each[1]/t"}}}}
	r := recordOf(d)
	if s := r.inner["each"]; !s.from.Equal(*at(1)) || !s.to.Equal(*at(9)) {
		t.Errorf("each runs %v", s)
	}
	if s := r.inner["open"]; !s.to.IsZero() {
		t.Errorf("open has ended: %v", s)
	}
	if !r.isCritical(&api.NodeStatus{ID: "a"}) || !r.isCritical(&api.NodeStatus{ID: "x", Name: "each", SubFlow: "foreach"}) || r.isCritical(&api.NodeStatus{ID: "b"}) {
		t.Errorf("the critical path is %v", r.critical)
	}
}
