package progress

import "wf/client"

// A Target is a workfile that is open in the daemon.
type Target struct {
	Client    *client.Client
	Workspace *client.Workspace
	Path      string // absolute path of the workfile, as the user named it
	FileFlag  string // " --file FILE" for commands in advice; "" for the default workfile
}
