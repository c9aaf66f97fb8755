package api

import "time"

// SchemaNotification is the schema of the JSON that a notification is, SchemaNotifications that of lists of them.
const (
	SchemaNotification  = "wf.notification/v1"
	SchemaNotifications = "wf.notifications/v1"
)

// NotifyEvent says what a notification is about.
type NotifyEvent string

// The events of notifications.
const (
	NotifyFailure   NotifyEvent = "failure"   // the run failed
	NotifySuccess   NotifyEvent = "success"   // the run succeeded
	NotifyRecovered NotifyEvent = "recovered" // the run succeeded, and the one before it failed
	NotifyDone      NotifyEvent = "done"      // the run was stopped; other ends have the events above
	NotifyStarted   NotifyEvent = "started"   // the run began
	NotifyLonger    NotifyEvent = "longer"    // the run is not over after a certain time
	NotifyWaiting   NotifyEvent = "waiting"   // a node waits for a person
	NotifyTest      NotifyEvent = "test"      // a user tries a destination with wf notify test
)

// Notification is what is sent about a run: as JSON to an address and to a command, as text to people.
type Notification struct {
	Schema string `json:"schema"`
	// ID is the same for each attempt to send this notification. A receiver that has seen it can drop it.
	ID    string      `json:"id"`
	Event NotifyEvent `json:"event"`
	Time  time.Time   `json:"time"`
	Title string      `json:"title"` // one line
	Text  string      `json:"text"`  // everything, for people, without control characters

	Host     string     `json:"host,omitempty"`
	User     string     `json:"user,omitempty"`
	Workfile string     `json:"workfile,omitempty"` // absolute
	Run      string     `json:"run,omitempty"`
	Result   Result     `json:"result,omitempty"` // "" = the run is not over
	Cause    string     `json:"cause,omitempty"`  // why it was stopped
	Started  *time.Time `json:"started,omitempty"`
	// DurationMS is how long the run took, or has taken until now, in milliseconds.
	DurationMS int64   `json:"duration_ms,omitempty"`
	Counts     *Counts `json:"counts,omitempty"`
	// Failed is the node that failed first, nil for none.
	Failed *NotifiedNode `json:"failed,omitempty"`
	// Question is what a person is asked, with the event waiting.
	Question *NotifiedQuestion `json:"question,omitempty"`
	// Commands are what the reader can do now, the most useful first.
	Commands []NotifiedCommand `json:"commands,omitempty"`
}

// Unstarted reports whether the notification is about a run that could not begin.
func (n *Notification) Unstarted() bool { return n.Result == ResFailed && n.Run == "" }

// NotifiedNode is a node that failed.
type NotifiedNode struct {
	Node     string `json:"node"`
	Name     string `json:"name"`
	Reason   Reason `json:"reason"`
	ExitCode *int   `json:"exit_code,omitempty"`
	Signal   string `json:"signal,omitempty"`
	Message  string `json:"message,omitempty"`
	// Lines are the last ones of its output, without control characters.
	Lines []string `json:"lines,omitempty"`
}

// NotifiedQuestion is a question to a person.
type NotifiedQuestion struct {
	Node    string     `json:"node"`
	Name    string     `json:"name"`
	Text    string     `json:"text"`
	Cases   []string   `json:"cases,omitempty"` // the answer chooses one of them
	Until   *time.Time `json:"until,omitempty"` // then Default is the answer
	Default string     `json:"default,omitempty"`
}

// NotifiedCommand is a command line with the reason to type it.
type NotifiedCommand struct {
	For  string `json:"for"` // "resume"
	Line string `json:"line"`
}

// NotificationState is what became of a notification.
type NotificationState string

// The states of a notification.
const (
	NotificationWaiting NotificationState = "waiting" // it will be sent, or sent again
	NotificationSent    NotificationState = "sent"
	NotificationGivenUp NotificationState = "given-up" // it is too old, or can never be sent
)

// NotificationEntry is a notification in a list.
type NotificationEntry struct {
	ID       string            `json:"id"`
	To       string            `json:"to"` // without passwords and queries of addresses
	State    NotificationState `json:"state"`
	Event    NotifyEvent       `json:"event"`
	Title    string            `json:"title"`
	Workfile string            `json:"workfile,omitempty"`
	Run      string            `json:"run,omitempty"`
	Time     time.Time         `json:"time"`           // when it was made
	Attempts int               `json:"attempts"`       // to send it
	Next     *time.Time        `json:"next,omitempty"` // when the next attempt begins
	Ended    *time.Time        `json:"ended,omitempty"`
	Error    string            `json:"error,omitempty"` // of the latest attempt that failed
}

// NotificationList is the answer to GET /v1/notifications, and wf notify ls --json.
type NotificationList struct {
	Schema  string              `json:"schema"`
	Entries []NotificationEntry `json:"entries"` // in the order in which they were made
	// Dropped counts notifications that did not fit into the outbox since the daemon began.
	Dropped int `json:"dropped,omitempty"`
	// Changed are the IDs that a NotificationChange has changed.
	Changed []string `json:"changed,omitempty"`
}

// NotificationChange sends notifications again at once, or removes them.
type NotificationChange struct {
	Op  string   `json:"op"`            // OpRetry or OpRemove
	IDs []string `json:"ids,omitempty"` // or unique beginnings; empty = all that are not sent
}

// The changes of notifications.
const (
	OpRetry  = "retry"
	OpRemove = "remove"
)

// NotifyTestRequest sends a test to each destination of the lines.
type NotifyTestRequest struct {
	Lines    string   `json:"lines"`              // as in the attribute notify
	Workfile string   `json:"workfile,omitempty"` // absolute
	Env      []string `json:"env"`                // of the client
}

// NotifyTestResult says what happened to each destination.
type NotifyTestResult struct {
	Schema string             `json:"schema"`
	Tests  []NotificationTest `json:"tests"`
	// Problems are the lines that have no effect.
	Problems []Problem `json:"problems,omitempty"`
}

// NotificationTest is the test of one destination.
type NotificationTest struct {
	To     string `json:"to"`
	OK     bool   `json:"ok"`
	TookMS int64  `json:"took_ms"`
	Answer string `json:"answer,omitempty"` // what the destination said
	Error  string `json:"error,omitempty"`
}

// SchemaNotifyTest is the schema of NotifyTestResult.
const SchemaNotifyTest = "wf.notify-test/v1"
