package api

// Registry is the content of daemon.json in the runtime folder, where clients find the address of the daemon. Only the lock on
// daemon.lock proves that a daemon runs. A registry whose process is gone, or whose pid belongs to another process by
// now, is stale: it is replaced, never used, and no process is signalled because of it.
type Registry struct {
	PID       int    `json:"pid"`
	StartTime uint64 `json:"start_time"`         // of the process, in clock ticks since boot; 0 where unknown
	BootID    string `json:"boot_id"`            // "" where unknown
	Socket    string `json:"socket"`             // path of the unix socket
	URL       string `json:"url"`                // http://127.0.0.1:PORT
	Token     string `json:"token"`              // bearer token for URL; the file is 0600
	Version   string `json:"version"`            // of the daemon's binary
	Protocol  string `json:"protocol,omitempty"` // see VersionInfo
	Requests  bool   `json:"requests,omitempty"` // see VersionInfo
	// Given has the flags of the daemon, separated by blanks. After a restart or a crash the next daemon uses them,
	// too.
	Given string `json:"given,omitempty"`
}

// MaxRegistry is the maximum size of the registry, in bytes. It usually has some hundred.
const MaxRegistry = 64 << 10

// Names of the daemon's files in the runtime folder.
const (
	FileLock     = "daemon.lock"
	FileRegistry = "daemon.json"
	FileSocket   = "wf.sock"
)

// SocketHost is the only Host header that is accepted on the unix socket.
const SocketHost = "wf.sock"
