// Package dialog asks the user: menus, prompts, sheets and lists to choose from, and the line and the list that they
// are made of. A dialog owns its state. A key gives a Result as a value; the caller closes the dialog and runs the
// action. The package knows no workflow and no screen.
package dialog

import (
	tea "charm.land/bubbletea/v2"

	"wf/tui/cells"
)

// A Dialog takes all keys while it is open, and is drawn over the screen.
type Dialog interface {
	Key(k tea.KeyPressMsg) Result
	Paste(text string) Result
	// Draw writes the dialog over a, which is the whole screen, and returns where the cursor belongs.
	Draw(a cells.Area) (x, y int, cursor bool)
}

// A Clickable is a Dialog that can be used with the mouse, too.
type Clickable interface {
	Click(x, y int) Result     // at a point of the screen
	Wheel(at tea.Mouse, n int) // lines, down if n is positive
}

// A Result is what a dialog asks for after a key, a paste or a click: to be closed, and then what the message means to
// the program.
type Result struct {
	Close bool
	Do    tea.Msg // nil = nothing
}

// A Choice is one line of a menu or a list.
type Choice struct {
	Key    string // chooses it at once; "" = none
	Label  string
	Detail string // dim: the command that does the same, or more about it
	Do     tea.Msg
}

// chosen closes the dialog and returns the message of the choice.
func (c Choice) chosen() Result { return Result{Close: true, Do: c.Do} }

// Then keeps the dialog open and returns a message.
func Then(msg tea.Msg) Result { return Result{Do: msg} }
