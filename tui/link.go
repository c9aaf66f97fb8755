package tui

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"wf/api"
	"wf/client"
	"wf/client/runview"
	"wf/tui/cells"
	"wf/tui/plain"
	"wf/tui/words"
)

// A link is the connection to an open workfile.
type link struct {
	path   string
	id     string // of the workspace; "" = it has never been open
	client *client.Client
	ws     *client.Workspace
	feed   *feed
	lost   error         // the client is reconnecting
	ended  error         // why the client stopped reconnecting
	wait   time.Duration // until the model tries again; 0 = it does not
}

// name returns the file name of the workfile, or "".
func (l *link) name() string {
	if l == nil {
		return ""
	}
	return plain.Line(filepath.Base(l.path))
}

// close stops the feed and closes the connection. It accepts nil and a link that is not open yet.
func (l *link) close() {
	if l == nil {
		return
	}
	if l.feed != nil {
		l.feed.stop()
	}
	if l.client != nil {
		l.client.Close()
	}
}

// connected reports whether requests can be made.
func (l *link) connected() bool { return l != nil && l.ws != nil }

// liveness returns the state of the connection to the daemon.
func (l *link) liveness(f *runview.Workfile, width int, ascii bool) string {
	dot := cells.Either(ascii, "* ", "● ")
	switch {
	case l == nil:
		return ""
	case l.ended != nil:
		return l.gone(f.Known, width)
	case l.lost != nil:
		return "daemon lost, looking for it"
	case !f.Known:
		return "connecting"
	}
	if run := f.Current(); run != nil && run.Held != "" {
		return dot + "held"
	}
	return dot + "live"
}

// gone returns the heading of a screen without a daemon, or of a workfile that the daemon has refused.
func (l *link) gone(known bool, width int) string {
	var refused *api.Error
	switch {
	case errors.As(l.ended, &refused) && !known:
		return "not open: C tries again"
	case l.wait > 0 && width >= besideWidth:
		return fmt.Sprintf("no daemon, looks every %s: C connects", l.wait)
	case l.wait > 0:
		return fmt.Sprintf("no daemon (%s): C connects", l.wait)
	}
	return "no daemon: C connects"
}

// draw explains why there is no drawing.
func (l *link) draw(a cells.Area, explain func(string, error) api.Error) {
	if l != nil && l.ended != nil {
		y := 1
		put := func(text string, st cells.Style) {
			for _, line := range cells.Wrap(text, a.Width-4) {
				a.Put(2, y, line, st)
				y++
			}
		}
		if explain == nil {
			put(words.Error(l.ended), cells.Bad)
		} else {
			e := explain(l.path, l.ended)
			put(plain.Line(e.Message), cells.Bad)
			for _, text := range []string{e.Where, e.Why} {
				if text != "" {
					put(plain.Line(text), cells.Plain)
				}
			}
			if e.Fix != "" {
				put("fix: "+plain.Line(e.Fix), cells.Strong)
			}
		}
		a.Put(2, y+1, "C tries again, ~ goes home, q leaves", cells.Dimmed)
		return
	}
	a.Put(2, 1, "opening "+l.name(), cells.Dimmed)
}
