package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// A place is the part of the screen that receives keys. It decides which actions are available.
type place uint8

// The places, as bits: an action may be available in several.
const (
	atDrawing place = 1 << iota // the drawing of the main screen
	atSide                      // log or inspector beside it
	atLog                       // the log as a whole screen
	atRuns
	atHome
	atHelp
	atInbox
	atDigest

	atMain = atDrawing | atSide
	atFile = atMain | atLog | atRuns | atInbox | atDigest
	atAll  = atFile | atHome | atHelp
)

// place returns the part of the screen that receives keys now.
func (m *model) place() place {
	switch m.page {
	case logPage:
		return atLog
	case runsPage:
		return atRuns
	case homePage:
		return atHome
	case helpPage:
		return atHelp
	case inboxPage:
		return atInbox
	case digestPage:
		return atDigest
	}
	if m.panes.active == sidePane {
		return atSide
	}
	return atDrawing
}

// An action is a function of the interface with its keys. Footer, help, palette and docs/tui.md are generated from
// the actions.
type action struct {
	group string   // heading in the help
	keys  []string // in the notation of Bubble Tea; none = only in the palette
	name  string   // in the palette
	help  string   // one sentence, without a full stop
	hint  string   // a word for the footer; "" = not in the footer
	where place
	when  func(*model) bool // nil = always
	do    func(m *model, key string) tea.Msg
}

// action returns the action that a key has now, or nil.
func (m *model) action(key string) *action {
	for i := range m.keys {
		if a := &m.keys[i]; a.has(key) && a.fits(m) {
			return a
		}
	}
	return nil
}

// has reports whether key is one of the action's.
func (a *action) has(key string) bool { return slices.Contains(a.keys, key) }

// fits reports whether the action is available now.
func (a *action) fits(m *model) bool {
	return a.where&m.place() != 0 && (a.when == nil || a.when(m))
}

// keyNames are the displayed names of keys.
var keyNames = map[string]string{
	"up": "↑", "down": "↓", "left": "←", "right": "→", "enter": "⏎", "space": "space", "pgup": "PgUp", "pgdown": "PgDn",
	"home": "Home", "end": "End", "tab": "Tab", "shift+tab": "S-Tab", "esc": "Esc", "ctrl+c": "^C", "ctrl+z": "^Z", "ctrl+r": "^R", "ctrl+y": "^Y", "ctrl+l": "^L",
	"ctrl+d": "^D", "ctrl+u": "^U", "backspace": "Backspace",
}

// asciiKeys are the ASCII names of keys that are otherwise displayed as a sign.
var asciiKeys = map[string]string{"↑": "Up", "↓": "Down", "←": "Left", "→": "Right", "⏎": "Enter"}

// keyName returns the displayed name of a key.
func keyName(key string, ascii bool) string {
	if name, ok := keyNames[key]; ok {
		if plain, ok := asciiKeys[name]; ok && ascii {
			return plain
		}
		return name
	}
	return key
}

// keyList returns the displayed names of all keys of an action.
func (a *action) keyList(ascii bool) string {
	names := make([]string, len(a.keys))
	for i, key := range a.keys {
		names[i] = keyName(key, ascii)
	}
	return strings.Join(names, " ")
}

// doing returns a message that does the action with its first key, if it has one.
func (a *action) doing(m *model) tea.Msg {
	key := ""
	if len(a.keys) > 0 {
		key = a.keys[0]
	}
	return later(func() tea.Msg { return a.do(m, key) })
}

// The groups of the help, in their order.
const (
	groupMove = "Move"
	groupLook = "Look"
	groupRun  = "Run"
	groupLog  = "Logs"
	groupList = "Runs and workfiles"
	groupAsk  = "What waits for people"
	groupAll  = "Everywhere"
)

// registry returns all actions. A key does the first action that is available.
func registry() []action {
	return slices.Concat(replayEnds(), askActions(), digestActions(), moveActions(), runActions(), lookActions(), replayActions(), editActions(), logActions(), listActions(), generalActions())
}
