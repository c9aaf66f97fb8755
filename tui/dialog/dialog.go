// Package dialog contains the dialogs of the terminal interface: menus, prompts, sheets and choosers, and the line
// editor and the list that they consist of. A dialog owns its state. A key returns a Result; the caller closes the
// dialog and carries out the message. The package contains nothing about workflows or screens.
package dialog

import (
	tea "charm.land/bubbletea/v2"

	"wf/tui/cells"
)

// A Dialog receives all keys while it is open, and is drawn over the screen.
type Dialog interface {
	Key(k tea.KeyPressMsg) Result
	Paste(text string) Result
	// Draw draws the dialog over a, the whole screen, and returns the position of the cursor.
	Draw(a cells.Area) (x, y int, cursor bool)
}

// A Clickable is a Dialog that also supports the mouse.
type Clickable interface {
	Click(x, y int) Result     // at a point of the screen
	Wheel(at tea.Mouse, n int) // lines, down if n is positive
}

// A Result is the effect of a key, a paste or a click: whether to close the dialog, and a message for the program to
// carry out.
type Result struct {
	Close bool
	Do    tea.Msg // nil = nothing
}

// A Choice is one line of a menu or a list.
type Choice struct {
	Key    string // a key that chooses it at once; "" = none
	Label  string
	Detail string // drawn dim: the equivalent command, or a description
	Do     tea.Msg

	// Preview is what the choice would do, for a screen that shows it while the choice is selected; nil = nothing to show.
	Preview any
}

// chosen closes the dialog and returns the message of the choice.
func (c Choice) chosen() Result { return Result{Close: true, Do: c.Do} }

// Then keeps the dialog open and returns a message.
func Then(msg tea.Msg) Result { return Result{Do: msg} }
