package tui

import "wf/tui/dialog"

// list returns the list that has the keys.
func (m *model) list() *dialog.List {
	switch m.page {
	case homePage:
		return &m.home.List
	case inboxPage:
		return &m.inbox.List
	}
	return &m.runs.List
}
