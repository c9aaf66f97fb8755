package api

// Registry is the content of daemon.json in the runtime folder: the hint by which clients find
// the daemon. The truth is the lock on daemon.lock. A registry whose process is gone, or whose
// pid belongs to somebody else by now, is stale: it is replaced, never obeyed, and nobody is
// signalled because of it.
type Registry struct {
	PID       int    `json:"pid"`
	StartTime uint64 `json:"start_time"` // of the process, in clock ticks since boot; 0 where unknown
	BootID    string `json:"boot_id"`    // "" where unknown
	Socket    string `json:"socket"`     // path of the unix socket
	URL       string `json:"url"`        // http://127.0.0.1:PORT
	Token     string `json:"token"`      // bearer token for URL; the file is 0600
	Version   string `json:"version"`    // of the daemon's binary
	// Given are the flags that it was started with, with a blank between them; the next one keeps them
	// after a restart or a crash.
	Given string `json:"given,omitempty"`
}

// Names of the daemon's files in the runtime folder.
const (
	FileLock     = "daemon.lock"
	FileRegistry = "daemon.json"
	FileSocket   = "wf.sock"
)

// SocketHost is the Host header of requests on the unix socket; every other one is refused.
const SocketHost = "wf.sock"
