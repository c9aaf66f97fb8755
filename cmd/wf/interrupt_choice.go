package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

// What Ctrl-C does in a command that started the run it follows.
const (
	interruptCancel = "cancel" // stop the run
	interruptDetach = "detach" // leave it to the daemon
	interruptAsk    = "ask"    // ask which
)

// choosing is what a follower needs to know about Ctrl-C. It belongs to the goroutine that
// follows; the one that waits for an answer only sends it.
type choosing struct {
	onInterrupt string      // one of the words; "" is interruptCancel
	asking      *os.File    // the terminal, while a question is open
	choices     chan string // the answer to it
	detaching   bool        // somebody chose to leave the run to the daemon
}

// chooses handles the first Ctrl-C where it does not simply stop the run, and says whether it did.
func (f *follower) chooses(sig os.Signal) bool {
	if sig != interrupt || f.asked != 1 {
		return false
	}
	switch f.onInterrupt {
	case interruptDetach:
		f.detaching = true
		return true
	case interruptAsk:
		return f.ask()
	}
	return false
}

// ask puts the question to the terminal. Without one there is nobody to ask, and with a question
// open another Ctrl-C is the answer: then it says false.
func (f *follower) ask() bool {
	if f.asking != nil {
		return false
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return false
	}
	f.asking, f.choices = tty, make(chan string, 1)
	f.asked, f.stoppedBy = 0, nil // nobody has asked for a stop yet
	fmt.Fprint(tty, "stop the run, or detach from it? [s]top [d]etach, anything else goes on: ")
	choices := f.choices
	// The read ends with the answer or when close takes the terminal away. Where a system cannot
	// interrupt it, the goroutine ends with the process: nothing waits for it.
	go func() {
		line, err := bufio.NewReader(tty).ReadString('\n')
		if err == nil {
			choices <- strings.TrimSpace(line)
		}
	}()
	return true
}

// chosen does what the answer says, and says whether to leave.
func (f *follower) chosen(answer string) (leave bool) {
	f.closeQuestion()
	switch strings.ToLower(answer) {
	case "d", "detach":
		f.detaching = true
		return true
	case "s", "stop":
		f.count(interrupt)
		f.stopIfAsked()
	}
	return false
}

// closeQuestion takes an open question back.
func (f *follower) closeQuestion() {
	if f.asking != nil {
		f.asking.Close()
		f.asking = nil
	}
}
