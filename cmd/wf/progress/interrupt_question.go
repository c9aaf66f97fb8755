package progress

import "os"

// What Ctrl-C does in a command that started the run it follows.
const (
	InterruptCancel = "cancel" // stop the run
	InterruptDetach = "detach" // leave the run to the daemon
	InterruptAsk    = "ask"    // ask the user
)

// question is the question of InterruptAsk.
const question = "stop the run, or detach from it?  [s]top  [d]etach  any other key: continue"

// interruptChoice is the state of the question that Ctrl-C may ask. It belongs to the goroutine of loop.
type interruptChoice struct {
	OnInterrupt string // one of the words; "" is InterruptCancel
	asking      bool   // the question is open: the next key is the answer
	detaching   bool   // the user chose to leave the run to the daemon
}

// handlesChoice handles the first Ctrl-C if it does not simply stop the run, and reports whether it did.
func (f *Follower) handlesChoice(sig os.Signal) bool {
	if sig != sigInterrupt || f.asked != 1 {
		return false
	}
	switch f.OnInterrupt {
	case InterruptDetach:
		f.detaching = true
		return true
	case InterruptAsk:
		return f.ask()
	}
	return false
}

// ask shows the question on the terminal: below the redrawn rows, or as a line if nothing is redrawn. It returns false if
// keys cannot be read, or if the question is already open: a second Ctrl-C then stops the run.
func (f *Follower) ask() bool {
	v := f.view
	if f.asking || v.keyboard == nil || !v.term.Foreground() || !v.keyboard.Listen() {
		return false
	}
	f.asking, f.confirming = true, 0
	f.asked, f.stoppedBy = 0, nil // the signal does not stop the run yet
	if v.live != nil {
		v.live.question, v.live.dirty = question, true
	} else {
		v.print("%s", question)
	}
	return true
}

// pressed handles a key and reports whether to leave.
func (f *Follower) pressed(key byte) (leave bool) {
	if !f.asking {
		return key == 'd' && f.view.live != nil
	}
	f.closeQuestion()
	switch key {
	case 'd', 'D':
		f.detaching = true
		return true
	case 's', 'S':
		f.count(sigInterrupt)
		f.stopIfAsked()
	}
	return false
}

// closeQuestion removes an open question.
func (f *Follower) closeQuestion() {
	if !f.asking {
		return
	}
	f.asking = false
	if l := f.view.live; l != nil {
		l.question, l.dirty = "", true
	} else {
		f.view.keyboard.Close()
	}
	f.showQuestion() // about an approval, if one is open
}
