// Package api declares the protocol of the daemon and its clients: routes, bodies, events and error codes. Both sides
// use these types as they are. It does no I/O. Everything here is part of a versioned contract: fields are added,
// never renamed or removed; readers ignore unknown ones.
package api

// Version of the protocol, the first element of every path.
const Version = "v1"

// Headers that every request may have.
const (
	HeaderClient  = "Wf-Client"  // id of the client; also in the events that the client causes
	HeaderUser    = "Wf-User"    // name of the user; also in events: a label without authentication
	HeaderVersion = "Wf-Version" // version of the client's binary
	HeaderRequest = "Wf-Request" // random key of a request that changes something, at most 64 characters; a repeated request has the same key
	HeaderOrigin  = "Wf-Origin"  // where a request that changes something comes from: an Origin
	HeaderAgain   = "Wf-Again"   // 1: a daemon may have received this request before
)

// HeaderWaits is a header of the interim response (status 102) to StartRun when the run has to wait for another
// one: the reason, an Error as JSON, percent-encoded. OnBusy says whether it waits (BusyQueue) or replaces that run
// (BusyCancel).
const HeaderWaits = "Wf-Waits"
