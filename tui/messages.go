package tui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/tui/dialog"
)

// Screens, menus and forms change only themselves. What they want otherwise they return as a message of this
// vocabulary, and the model carries it out in handle. A message may be nil; a tea.Cmd runs in another goroutine.

// messages are carried out one after the other.
type messages []tea.Msg

// A later is a message that depends on the state at the time when it is carried out.
type later func() tea.Msg

// A notice shows a sentence as a toast.
type notice struct {
	text string
	bad  bool
}

// A failed shows an error.
type failed struct{ err error }

// An openDialog puts a dialog over the screen, and a closeDialog removes it.
type (
	openDialog  struct{ dialog.Dialog }
	closeDialog struct{ dialog.Dialog }
)

// A request is a question to the daemon. The model asks it in another goroutine, over the connection of the open
// workfile.
type request struct {
	limit time.Duration // 0 = none
	ask   func(context.Context, *client.Workspace) (reply func() tea.Msg, err error)
	fail  func(error) tea.Msg // nil = the error is shown
}

// ask returns a request whose answer is passed to reply, on the model's goroutine. An error is shown.
func ask[T any](question func(context.Context, *client.Workspace) (T, error), reply func(T) tea.Msg) request {
	return request{limit: requestTime, ask: func(ctx context.Context, ws *client.Workspace) (func() tea.Msg, error) {
		got, err := question(ctx, ws)
		return func() tea.Msg { return reply(got) }, err
	}}
}

// requestTime is the time limit of requests. A stop takes as long as its grace time, and has none.
const requestTime = 20 * time.Second

// errNoDaemon is the error of a request without a connection.
var errNoDaemon = errors.New("there is no daemon: C connects")

// An answer is the message of a goroutine: apply computes on the model's goroutine what to carry out. It is dropped
// if another workfile, or a new connection, has been opened since it was asked for.
type answer struct {
	link  *link // nil = it does not depend on the connection
	apply func() tea.Msg
}

// An edit changes the workfile, all edits or none. Edits are sent in the order in which they were made.
type edit struct {
	edits []api.Edit
	then  func(edited) tea.Msg // nil shows the result
}

// An edited is the result of an edit.
type edited struct {
	result api.EditResult
	err    error
}

// An inTurn carries out a request to the daemon after the edits that were made before it.
type inTurn struct{ msg tea.Msg }

// An openWorkfile opens another workfile.
type openWorkfile struct{ path string }

// A showNode shows a node of the open workfile in its drawing, a showPage shows one of the screens, and a showLog gives
// the keys to the log beside the drawing.
type (
	showNode struct{ id string }
	showPage struct{ page page }
	showLog  struct{}
)

// An approvalsChanged says that questions to people have been answered here.
type approvalsChanged struct{}

// A leave ends the interface. Active runs go on.
type leave struct{}
