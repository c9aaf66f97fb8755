package logview

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/tui/words"
)

// times contains when the lines were written. The daemon is asked once the times are displayed, and again if more of
// the output is shown than it knew of. Lines that arrive while the view follows have the time of their arrival.
type times struct {
	sources []sourceTimes
	latest  time.Time // of the latest answer or arrival
	asking  bool      // a request was sent and has not been answered
}

// sourceTimes is when the output of a source was written: everything that existed when the daemon was asked. Without
// an answer, and after an error, it is the zero value.
type sourceTimes struct {
	api.LogInfo
	failed bool  // the request is not repeated
	page   *page // the page at the time of the request; it is not repeated for this page
}

// covers reports whether these are the times of the first size bytes of a stream.
func (s *sourceTimes) covers(err bool, size int64) bool {
	if err {
		return s.Times != nil && s.ErrBytes >= size
	}
	return s.Times != nil && s.OutBytes >= size
}

// of returns the time by which a line had been written; ok is false if it is not known.
func (t *times) of(l *line) (at time.Time, ok bool) {
	if l.arrived != 0 {
		return time.UnixMilli(l.arrived).Local(), true
	}
	s := &t.sources[l.source]
	if !s.covers(l.err, l.at+1) || !s.Times.Known {
		return time.Time{}, false
	}
	return s.Times.WrittenBy(l.at, l.err).Local(), true
}

// layout returns the format of the times: with the date if one of the executions started on an earlier day.
func (t *times) layout() string {
	for i := range t.sources {
		if s := t.sources[i].Times; s != nil && s.Started.Local().Format(time.DateOnly) != t.latest.Local().Format(time.DateOnly) {
			return "01-02 15:04:05"
		}
	}
	return time.TimeOnly
}

// wants reports whether the times of a source must be requested to show the output in memory.
func (t *times) wants(v *View, source int) bool {
	s := &t.sources[source]
	if s.failed || v.infos[source].Run == "" {
		return false
	}
	if s.Times == nil {
		return true
	}
	if v.page != nil && v.page != s.page {
		for _, part := range v.page.doc.segments {
			if part.source == source && !s.covers(part.stream == stderr, part.size) {
				return true
			}
		}
	}
	return false
}

// ask returns a request for times that are missing, or nil.
func (t *times) ask(v *View) tea.Cmd {
	if t.asking || v.ask == nil {
		return nil
	}
	queries := map[int]client.LogQuery{}
	for i := range t.sources {
		if t.wants(v, i) {
			queries[i] = client.LogQuery{Node: v.target.Nodes[i], Run: v.infos[i].Run, Execution: v.infos[i].Execution, Times: true}
		}
	}
	if len(queries) == 0 {
		return nil
	}
	t.asking = true
	ctx, outputs, n := v.ctx, v.ask, timesNews{from: v.tail, sources: map[int]sourceTimes{}}
	page := v.page
	return func() tea.Msg { return n.request(ctx, outputs, queries, page) }
}

// request requests the times of sources and returns n with them.
func (n timesNews) request(ctx context.Context, outputs Outputs, queries map[int]client.LogQuery, shown *page) tea.Msg {
	for i, q := range queries {
		info, err := outputs.LogInfo(ctx, q)
		if err != nil && n.err == nil {
			n.err = err
		}
		n.sources[i] = sourceTimes{info, err != nil || info.Times == nil, shown}
	}
	n.at = time.Now()
	return n
}

// timesNews contains the times of sources.
type timesNews struct {
	from    *tail
	sources map[int]sourceTimes
	at      time.Time
	err     error
}

// update adds the times, and says why some are missing.
func (n timesNews) update(v *View) (Note, tea.Cmd) {
	if n.from != v.tail {
		return Note{}, nil // times of an earlier target
	}
	v.times.asking, v.times.latest = false, n.at
	note := Note{}
	for i, s := range n.sources {
		v.times.sources[i] = s
		if s.Times != nil && !s.Times.Known {
			note.Text = "run " + s.Run + " is of an earlier version that recorded no times"
		}
	}
	if n.err != nil {
		note = Note{"the times of the lines: " + words.Error(n.err), true}
	}
	return note, nil
}
