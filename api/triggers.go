package api

// Names and versions of the documents of wf trigger.
const (
	SchemaTriggers   = "wf.triggers/v1"
	SchemaTriggerLog = "wf.trigger-log/v1"
)

// TriggersQuery asks for triggers.
type TriggersQuery struct {
	Path string `query:"path"` // absolute; "" = all armed workfiles
	Next int    `query:"next"` // how many of the next instants of each trigger, at most MostInstants
	Zone string `query:"zone"` // time zone of the client for workfiles that are not armed; "" = that of the machine
}

// MostInstants is the maximum of TriggersQuery.Next.
const MostInstants = 100

// TriggerList is `wf trigger ls --json`.
type TriggerList struct {
	Schema    string            `json:"schema"`
	Workfiles []TriggerWorkfile `json:"workfiles"`
	// Problem is why no trigger fires at present, such as a full disk or another daemon with the same state folder.
	Problem string `json:"problem,omitempty"`
}

// TriggerWorkfile is a workfile with its triggers.
type TriggerWorkfile struct {
	Workfile string `json:"workfile"`
	Armed    bool   `json:"armed"`
	Since    string `json:"since,omitempty"` // RFC 3339: when it was armed
	User     string `json:"user,omitempty"`  // who armed it
	// Changed is set if the triggers in the file are no longer those that are armed: none of them fires.
	Changed  bool      `json:"changed,omitempty"`
	Problem  string    `json:"problem,omitempty"` // why the file cannot be read, or why the latest start failed
	Triggers []Trigger `json:"triggers"`
}

// Trigger is a line of the attribute on.
type Trigger struct {
	TriggerLine
	Name string `json:"name,omitempty"` // of the node
	// State is "armed", "new" (in the file, and not armed) or "gone" (armed, and no longer in the file).
	State   string       `json:"state"`
	Problem string       `json:"problem,omitempty"`  // why the line is no trigger
	Zone    string       `json:"zone,omitempty"`     // of its instants
	Next    []string     `json:"next,omitempty"`     // RFC 3339: the next instants, in Zone
	DelayMS int64        `json:"delay_ms,omitempty"` // of each start after its instant, from jitter
	Last    *TriggerFire `json:"last,omitempty"`
	// Files describes what a trigger waits for that waits for files; nil for others.
	Files *TriggerFiles `json:"files,omitempty"`
}

// TriggerFiles are the files of a trigger.
type TriggerFiles struct {
	Folder  string `json:"folder"` // the path of the folder that has all of them
	Match   int    `json:"match"`  // how many files match now
	New     int    `json:"new"`    // how many of them no run has had, because they have just arrived or nothing is armed
	Polled  bool   `json:"polled,omitempty"`
	Problem string `json:"problem,omitempty"` // why files may not be seen
}

// States of a Trigger.
const (
	TriggerArmed = "armed"
	TriggerNew   = "new"
	TriggerGone  = "gone"
)

// TriggerLine identifies a trigger in its workfile.
type TriggerLine struct {
	Node string `json:"node,omitempty"` // id; "" = the graph
	On   string `json:"on"`             // the line, with single blanks
}

// TriggerEnable arms all triggers of a workfile. Lines are those that the user has seen: if the file has others, nothing is
// armed. Request is the request of every run.
type TriggerEnable struct {
	Path    string        `json:"path"`
	Lines   []TriggerLine `json:"lines"`
	Request RunRequest    `json:"request"`
}

// TriggerDisable disarms a workfile.
type TriggerDisable struct {
	Path string `json:"path"`
}

// TriggerNow starts the run of an armed trigger at once.
type TriggerNow struct {
	Path string `json:"path"`
	TriggerLine
}

// TriggerLogQuery asks for what came of triggers.
type TriggerLogQuery struct {
	Path string `query:"path"` // absolute
}

// TriggerLog is `wf trigger log --json`. The oldest entry comes first; about a hundred are kept.
type TriggerLog struct {
	Schema   string        `json:"schema"`
	Workfile string        `json:"workfile"`
	Fires    []TriggerFire `json:"fires"`
}

// TriggerFire is what came of one instant, or of several that were skipped.
type TriggerFire struct {
	TriggerLine
	Time    string `json:"time"`    // RFC 3339: when the daemon decided
	Instant string `json:"instant"` // RFC 3339: for which; the last one of several
	// Result is "started", "queued", "refused", "skipped" or "starting".
	Result string `json:"result"`
	Run    string `json:"run,omitempty"`   // or its name in the queue
	Why    string `json:"why,omitempty"`   // of refused and skipped, and of a start that waits for its workfile
	Count  int    `json:"count,omitempty"` // how many instants were skipped
	Late   bool   `json:"late,omitempty"`  // it was missed and caught up
	ByHand bool   `json:"by_hand,omitempty"`
	// Files are the first of the files of the run, relative to the folder of the workfile, and FileCount is how many it got.
	Files     []string `json:"files,omitempty"`
	FileCount int      `json:"file_count,omitempty"`
}

// Results of a TriggerFire.
const (
	FireStarted  = "started"
	FireQueued   = "queued"
	FireRefused  = "refused"
	FireSkipped  = "skipped"
	FireStarting = "starting" // not known yet
)
