package tui

import (
	"testing"
	"time"

	"wf/client/runview"
	"wf/tui/drawing"
)

// BenchmarkTintedFrame measures a screen of 5,000 nodes after a tick, without a tint, with one, and with the strip of times.
func BenchmarkTintedFrame(b *testing.B) {
	for _, one := range []struct {
		name  string
		tint  tint
		strip bool
	}{{"plain", noTint, false}, {"strip", noTint, true}, {"time", byTime, true}, {"path", byPath, true}} {
		b.Run(one.name, func(b *testing.B) {
			m := testModel(200, 60, pipeline(1250))
			m.doc.picture.view, m.doc.picture.chosen = drawing.List, true
			m.doc.lens.tint, m.doc.noStrip = one.tint, !one.strip
			m.refresh()
			for b.Loop() {
				m.now = m.now.Add(time.Second)
				m.refresh()
				m.draw()
			}
		})
	}
}

// BenchmarkReplayStep measures a step in the replay of a run of 5,000 nodes.
func BenchmarkReplayStep(b *testing.B) {
	m := testModel(200, 60, pipeline(1250))
	d := recordedRun(m)
	d.Ended = nil // its nodes run one after the other, for longer than it did
	r := runview.NewReplay(&m.doc.flow, d)
	moments := r.Moments()
	at := 0
	for b.Loop() {
		at = (at + 1) % len(moments)
		r.At(moments[at])
	}
}
