package tui

import (
	"encoding/json"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"wf/api"
)

// anyKeys returns the keys of the registry and of dialogs.
func anyKeys() []string {
	keys := []string{"a", "m", "n", "y", "d", "u", "backspace", "delete", "ctrl+a", "ctrl+w", "ctrl+k", "é", "漢"}
	for _, a := range registry() {
		keys = append(keys, a.keys...)
	}
	return keys
}

// TestAnyInputKeepsTheScreenValid: For any keys, mouse events, sizes, pastes and events, nothing panics, every screen
// fits the terminal, and only ctrl+c, q and Q leave.
func TestAnyInputKeepsTheScreenValid(t *testing.T) {
	keys := anyKeys()
	rapid.Check(t, func(t *rapid.T) {
		m := testModel(100, 30, anyStatus(t))
		width, height := 100, 30
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "kind") {
			case 0:
				width, height = rapid.IntRange(0, 250).Draw(t, "width"), rapid.IntRange(0, 80).Draw(t, "height")
				m.Update(tea.WindowSizeMsg{Width: width, Height: height})
			case 1:
				at := tea.Mouse{X: rapid.IntRange(0, 250).Draw(t, "x"), Y: rapid.IntRange(0, 80).Draw(t, "y"), Button: tea.MouseLeft}
				m.Update(rapid.SampledFrom([]tea.Msg{tea.MouseClickMsg(at), tea.MouseReleaseMsg(at), tea.MouseMotionMsg(at), tea.MouseWheelMsg(at)}).Draw(t, "mouse"))
			case 2:
				m.Update(tea.PasteMsg{Content: rapid.String().Draw(t, "paste")})
			case 3:
				m.Update(news{m.link.feed, anyBatch(t)})
				if len(m.doc.flow.Members) > 0 && m.doc.earlier == nil {
					answered(m)
					m.inbox.own, m.inbox.others = asked()
				}
			default:
				key := rapid.SampledFrom(keys).Draw(t, "key")
				if key == "ctrl+z" || key == "C" || key == "~" {
					continue // they belong to the terminal and to the daemon
				}
				m.Update(keyPress(key))
			}
			m.View()
			if m.term.screen.Width != width || m.term.screen.Height != height {
				t.Fatalf("a frame of %dx%d on a terminal of %dx%d", m.term.screen.Width, m.term.screen.Height, width, height)
			}
			if m.quitting {
				return
			}
		}
	})
}

// anyStatus generates a workfile of plain commands, or one with every kind of control flow.
func anyStatus(t *rapid.T) api.Status {
	if rapid.Bool().Draw(t, "controlled") {
		return controlled(rapid.SampledFrom([]int{3, 6, 100, 10_000}).Draw(t, "instances"))
	}
	return pipeline(rapid.IntRange(0, 12).Draw(t, "samples"))
}

// anyBatch generates a change of a node of the pipeline, or of all nodes.
func anyBatch(t *rapid.T) (b batch) {
	kind := rapid.SampledFrom([]api.EventType{api.NodeReady, api.NodeStarted, api.NodeFinished, api.NodeFailed, api.NodeReset, api.RunStarted,
		api.NodeSkipped, api.NodeWaiting, api.NodeDecided,
		api.RunComplete, api.RunHeld, api.FileProblem, api.GraphUpdated}).Draw(t, "event")
	node := rapid.SampledFrom([]string{"id-fetch_ref", "id-trim_S001", "id-align_S000", "id-gone", "id-each", "id-sign", "each[2]/t"}).Draw(t, "node")
	b.take(api.Frame{Events: []api.Event{{Type: kind, Node: node, Run: "43", Time: noon, Execution: 1, Result: api.Succeeded, Message: "full",
		Wait:    &api.Wait{Kind: rapid.SampledFrom([]api.WaitKind{api.WaitTime, api.WaitApproval, api.WaitRetry}).Draw(t, "wait"), Until: ptr(noon)},
		Changed: []api.NodeStatus{{ID: node, Name: "new", State: api.StateIdle}}}}})
	if rapid.IntRange(0, 5).Draw(t, "snapshot") == 0 {
		b.take(api.Frame{Snapshot: &api.Snapshot{Status: anyStatus(t)}})
	}
	return b
}

// TestLargePasteIsFast: A megabyte is pasted into a line without delay, and does nothing where there is no line.
func TestLargePasteIsFast(t *testing.T) {
	m := testModel(100, 30, pipeline(3))
	huge := strings.Repeat("q\nx\x1b[2J", 1<<17)
	m.Update(tea.PasteMsg{Content: huge})
	if m.quitting || len(m.dialogs) > 0 {
		t.Error("a paste pressed keys")
	}
	start := time.Now()
	press(m, "/")
	m.Update(tea.PasteMsg{Content: huge})
	m.View()
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("a paste took %v", took)
	}
	press(m, "esc")
	if m.doc.filter.text != "" {
		t.Errorf("the filter is %.20q", m.doc.filter.text)
	}
}

// BenchmarkFrame is a thirtieth of a second of 20,000 and of 1,000 events a second in a workfile of 5,000
// nodes, as JSON: what a frame costs besides writing it to the terminal. cpu% is the share of a core
// that 30 of them a second take, collection of garbage included.
func BenchmarkFrame(b *testing.B) {
	for _, rate := range []int{20_000, 1000} {
		b.Run(fmt.Sprint(rate), func(b *testing.B) {
			m := testModel(200, 60, pipeline(1250))
			var frames [][]byte
			for i := range 10 {
				var f api.Frame
				for k := range rate / 30 {
					kind := []api.EventType{api.NodeStarted, api.NodeFinished}[k%2]
					f.Events = append(f.Events, api.Event{Seq: uint64(k), Type: kind, Node: fmt.Sprintf("id-sort_S%03d", (i*rate/30+k)%1250),
						Name: "sort_S000", Run: "42", Execution: 1, PID: 12345, Time: noon, DurationMS: ptr(int64(i))})
				}
				data, err := json.Marshal(f)
				if err != nil {
					b.Fatal(err)
				}
				frames = append(frames, data)
			}
			i, before := 0, cpuTime(b)
			for b.Loop() {
				var n batch
				var f api.Frame
				if err := json.Unmarshal(frames[i%len(frames)], &f); err != nil {
					b.Fatal(err)
				}
				i++
				n.take(f)
				m.Update(news{m.link.feed, n})
				m.View()
			}
			b.ReportMetric(100*30*(cpuTime(b)-before).Seconds()/float64(b.N), "cpu%")
		})
	}
}

// cpuTime returns the processor time of this process.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
