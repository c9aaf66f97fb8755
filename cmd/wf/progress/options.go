package progress

import "wf/client"

// Options determine how a run is shown. The words are those of the flags of wf run.
type Options struct {
	Progress   string // auto, inline, plain, none
	Output     string // auto, none, failed, grouped, stream
	Timestamps string // auto, off, rel, iso
	CI         string // auto, none, or a system of package ci
	Raw        bool   // exact bytes of node output, even to a terminal
	JSON       bool   // events on standard output
	Quiet      bool
	Verbose    bool
}

// A Target is a workfile that is open in the daemon.
type Target struct {
	Client    *client.Client
	Workspace *client.Workspace
	Path      string // absolute path of the workfile, as the user named it
	FileFlag  string // " --file FILE" for commands in advice; "" for the default workfile
}
