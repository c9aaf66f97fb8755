// Package api is the words that the daemon and its clients exchange: routes, bodies, events,
// error codes. Both sides use these types as they are. It does no I/O. Everything here is part
// of a versioned contract: fields are added, never renamed or removed; readers ignore unknown ones.
package api

// Version of the protocol, the first element of every path.
const Version = "v1"

// Headers that every request may carry.
const (
	HeaderClient  = "Wf-Client"  // id of the client, appears on the events it causes
	HeaderUser    = "Wf-User"    // name of the person, likewise; a label, no proof of anything
	HeaderVersion = "Wf-Version" // version of the client's binary
	HeaderRequest = "Wf-Request" // key of a request that changes something: chance, at most 64 characters, the same when it is repeated
	HeaderAgain   = "Wf-Again"   // 1: a daemon may have got a request with this key already
)
