package tui

// A list is a selection in a number of rows, more than may be in sight.
type list struct {
	at, top, size int
	height        int // of the latest frame
}

// move does what a key means in a list.
func (l *list) move(key string) {
	switch key {
	case "up", "k":
		l.at--
	case "down", "j":
		l.at++
	case "pgup":
		l.at -= max(1, l.height-1)
	case "pgdown", "space":
		l.at += max(1, l.height-1)
	case "home", "g":
		l.at = 0
	case "end", "G":
		l.at = l.size - 1
	}
	l.at = max(0, min(l.at, l.size-1))
}

// fit makes the list as long as size rows and scrolls so that the selection is in sight of height rows.
func (l *list) fit(size, height int) {
	l.size, l.height = size, height
	l.at = max(0, min(l.at, size-1))
	l.top = min(l.top, l.at)
	l.top = max(l.top, l.at-height+1, 0)
}

// list is the one that has the keys.
func (m *model) list() *list {
	switch m.page {
	case homePage:
		return &m.home.list
	case inboxPage:
		return &m.inbox.list
	}
	return &m.runs.list
}
