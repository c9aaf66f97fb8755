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

// Screens, menus and forms change only their own state. Every other change is a message of this vocabulary, which
// they return and the model carries out in handle. A message may be nil; a tea.Cmd runs in another goroutine.

// messages are carried out one after the other.
type messages []tea.Msg

// A later computes the message when it is carried out, from the state at that time.
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

// A request is a request to the daemon. The model sends it in another goroutine, over the connection of the open
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

// requestTime is the time limit of requests. A stop has no limit, because it takes as long as its grace time.
const requestTime = 20 * time.Second

// errNoDaemon is the error of a request without a connection.
var errNoDaemon = errors.New("there is no daemon: C connects")

// An answer is the message of a goroutine. On the model's goroutine, apply returns the message to carry out. The
// answer is dropped if another workfile or a new connection has been opened since the request.
type answer struct {
	link  *link // nil = independent of the connection
	apply func() tea.Msg
}

// An edit changes the workfile, all edits or none. Edits are sent in the order in which they were made.
type edit struct {
	edits []api.Edit
	then  func(edited) tea.Msg // nil = show the result
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

// A showNode shows a node of the open workfile in its drawing, a showPage shows one of the screens, and a showLog
// moves the focus to the log beside the drawing.
type (
	showNode struct{ id string }
	showPage struct{ page page }
	showLog  struct{}
)

// An approvalsChanged reports that the user has answered questions here.
type approvalsChanged struct{}

// A leave ends the interface. Active runs continue.
type leave struct{}
