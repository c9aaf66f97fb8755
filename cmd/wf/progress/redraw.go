package progress

import (
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/sys/unix"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/tui/plain"
	"wf/tui/tail"
)

// The shortest time between two drawings after events, and the time between two drawings of the clock.
const (
	frameTime = 100 * time.Millisecond
	clockTime = time.Second
)

// A live redraws the progress of a run in the last rows of a terminal. Like its Display it belongs to the goroutine that
// follows the run.
type live struct {
	v      *Display
	hint   string
	shared bool // standard output is the same terminal

	timer      *time.Timer // the next drawing
	drawn      time.Time
	dirty      bool
	asked      time.Time // the last request for the ends of outputs
	asking     bool
	background bool // in the background: nothing is redrawn

	question string // the question below the rows; "" for none

	signals chan os.Signal // resizes and job control
	*console.Keyboard
}

// startLive starts to redraw if the terminal allows it. If not, it prints why, provided that the user asked for
// redrawing. canStop says that Ctrl-C stops the run.
func (v *Display) startLive(canStop bool) {
	forced := v.opt.Progress == "inline"
	if v.opt.Quiet || !forced && (v.opt.Progress != "auto" || v.opt.JSON) {
		return
	}
	toStdout := v.opt.JSON || v.opt.Output == "grouped" || v.opt.Output == "stream"
	if why := v.e.Surroundings(v.term, toStdout).WhyNotInline(forced); why != "" {
		if forced {
			v.print("note: --progress inline: %s: plain lines instead", why)
		}
		return
	}
	l := &live{v: v, timer: time.NewTimer(0), dirty: true,
		signals: make(chan os.Signal, 8), Keyboard: v.keyboard}
	v.e.HandleStops(true)
	signal.Notify(l.signals, unix.SIGWINCH, unix.SIGTSTP, unix.SIGCONT, unix.SIGQUIT)
	l.hint = "^C leave"
	if canStop {
		l.hint = "^C cancel"
	}
	l.shared = sameFile(v.e.Stdout, v.stderr)
	if l.Listen() {
		if l.shared {
			l.hint = "t TUI " + v.p.Dot() + " " + l.hint
		}
		l.hint = "d detach " + v.p.Dot() + " " + l.hint
	}
	v.flush()
	v.err.Reset(deferredWriter{v.region})
	if l.shared { // both streams are drawn together, in order
		v.out.Reset(deferredWriter{v.region})
	}
	v.live = l
}

// A deferredWriter writes lines that are printed with the next drawing.
type deferredWriter struct{ r *console.Region }

func (w deferredWriter) Write(p []byte) (int, error) {
	w.r.Print(p)
	return len(p), nil
}

// sameFile reports whether two streams are the same file.
func sameFile(a, b io.Writer) bool {
	fa, okA := a.(*os.File)
	fb, okB := b.(*os.File)
	if !okA || !okB {
		return false
	}
	infoA, errA := fa.Stat()
	infoB, errB := fb.Stat()
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// endLive removes the redrawn rows for good and restores the terminal.
func (v *Display) endLive() {
	l := v.live
	if l == nil {
		return
	}
	v.live = nil
	v.e.HandleStops(false)
	signal.Stop(l.signals)
	l.timer.Stop()
	v.out.Flush()
	v.err.Flush()
	v.err.Reset(v.region)
	v.out.Reset(v.region.Aside(v.e.Stdout))
	v.region.Clear()
	l.Close()
}

// flush draws the changes of the last events, now or when frameTime has passed.
func (l *live) flush(now time.Time) error {
	if !l.dirty && l.v.err.Buffered() == 0 && l.v.out.Buffered() == 0 {
		return nil
	}
	if wait := frameTime - now.Sub(l.drawn); wait > 0 {
		l.dirty = true
		l.timer.Reset(wait)
		return nil
	}
	return l.draw(now)
}

// draw draws the rows. It returns only errors of standard output.
func (l *live) draw(now time.Time) error {
	l.drawn, l.dirty = now, false
	l.timer.Reset(clockTime)
	err := l.v.out.Flush()
	l.v.err.Flush()
	if l.background {
		l.v.region.Redraw()
		return err
	}
	width, height := l.Term.Size()
	if width < 2 || height < 2 {
		return err
	}
	rows := boardRows(l.v.Run, l.v.p, now, width, height, l.hint)
	if l.question != "" {
		rows = append(rows, l.v.p.Strong(ansi.Truncate(l.question, width-1, l.v.p.Ellipsis())))
	}
	l.v.region.Show(rows)
	return err
}

// tick handles the timer. In a second without events it requests the ends of outputs, and draws when they arrive, so
// that both change at once.
func (l *live) tick(f *Follower, now time.Time) {
	if l.background && l.Term.Foreground() {
		l.resume()
	}
	if l.dirty || l.background || !l.ask(f, now) {
		l.dirty = true
		return
	}
	l.timer.Reset(clockTime)
}

// ask requests the ends of the outputs of the shown nodes, at most once a second, and returns whether it did.
func (l *live) ask(f *Follower, now time.Time) bool {
	if l.background || l.asking || now.Sub(l.asked) < clockTime || len(l.v.Run.Running) == 0 {
		return false
	}
	nodes := l.v.Run.Longest()
	ids := make([]string, 0, maxRunningRows)
	for _, n := range nodes[:min(len(nodes), maxRunningRows)] {
		ids = append(ids, n.ID)
	}
	l.asking, l.asked = true, now
	f.inquire(func() func() {
		answer, err := f.target.Workspace.Live(f.ctx, f.Run, ids)
		return func() {
			l.asking, l.dirty = false, true
			if err == nil { // on an error the run has just ended or the connection is lost, which is reported elsewhere
				l.apply(answer)
			}
		}
	})
	return true
}

// apply stores the number of blocked nodes and the last lines of output.
func (l *live) apply(answer api.RunLive) {
	l.v.Run.Blocked = answer.Counts.Blocked
	for _, t := range answer.Tails {
		if line := plain.Line(tail.Of(t.Text).LastLine()); line != "" {
			l.v.Run.SetTail(t.Node, t.Execution, line)
		}
	}
}

// frameDue, terminalSignals and keys return the channels of a terminal for loop; nil without one.
func (v *Display) frameDue() <-chan time.Time {
	if v.live == nil {
		return nil
	}
	return v.live.timer.C
}

func (v *Display) terminalSignals() <-chan os.Signal {
	if v.live == nil {
		return nil
	}
	return v.live.signals
}

func (v *Display) keys() <-chan byte {
	if v.keyboard == nil {
		return nil
	}
	return v.keyboard.Pressed
}
