package api

import "time"

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
	// Webhooks is where deliveries of webhooks are received; nil = nowhere, because no setting says where.
	Webhooks *WebhookListener `json:"webhooks,omitempty"`
}

// WebhookListener is where the daemon receives deliveries of webhooks.
type WebhookListener struct {
	Listen  string `json:"listen"`            // address and port
	URL     string `json:"url"`               // in front of the name of a webhook, for senders
	Problem string `json:"problem,omitempty"` // why nothing is received at present
}

// TriggerWorkfile is a workfile with its triggers.
type TriggerWorkfile struct {
	Workfile string `json:"workfile"`
	Armed    bool   `json:"armed"`
	Since    string `json:"since,omitempty"` // RFC 3339: when it was armed
	User     string `json:"user,omitempty"`  // who armed it
	// Changed is set if the triggers in the file are no longer those that are armed: none of them fires.
	Changed  bool      `json:"changed,omitempty"`
	Problem  string    `json:"problem,omitempty"` // why the file cannot be read, why the latest start failed, or why a run would be refused now
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
	Webhook *Webhook     `json:"webhook,omitempty"` // of a line webhook:
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

// Webhook is what senders need for a line webhook:.
type Webhook struct {
	Name   string `json:"name"`
	Scheme string `json:"scheme"`
	URL    string `json:"url,omitempty"` // "" if nothing is received
	// Secret is when the secret was made, RFC 3339; "" if there is none. OldUntil is until when the one before is valid, too.
	Secret   string `json:"secret,omitempty"`
	OldUntil string `json:"old_until,omitempty"`
	Waiting  int    `json:"waiting,omitempty"` // deliveries whose runs have not started
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
	// Body is what a sender of a webhook would send, nil for other triggers; Event is the event that it would name.
	Body  []byte `json:"body,omitzero"`
	Event string `json:"event,omitempty"`
}

// MostBody is the largest body of a delivery, in bytes.
const MostBody = 1 << 20

// What to do with the secret of a webhook.
const (
	SecretShow   = "show"
	SecretMake   = "make"   // a random one, if there is none
	SecretSet    = "set"    // that of the request
	SecretRotate = "rotate" // a random one; the one before stays valid for a time
	SecretRemove = "remove"
)

// WebhookSecret asks for the secret of a webhook, or changes it.
type WebhookSecret struct {
	Hook   string `json:"hook"`
	Op     string `json:"op"`
	Scheme string `json:"scheme,omitempty"`  // form of a random secret, if no workfile with this hook is armed
	Secret string `json:"secret,omitempty"`  // of SecretSet
	KeepMS int64  `json:"keep_ms,omitempty"` // how long the secret before stays valid, with SecretSet and SecretRotate
}

// WebhookSecretInfo is the secret of a webhook.
type WebhookSecretInfo struct {
	Hook     string `json:"hook"`
	Scheme   string `json:"scheme"`
	Secret   string `json:"secret"` // "" if there is none
	Since    string `json:"since,omitempty"`
	OldUntil string `json:"old_until,omitempty"`
	Changed  bool   `json:"changed,omitempty"` // by this request
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
	// Result is "started", "queued", "refused", "skipped", "starting" or "rejected".
	Result string `json:"result"`
	Run    string `json:"run,omitempty"`   // or its name in the queue
	Why    string `json:"why,omitempty"`   // of refused, skipped and rejected, and of a start that waits for its workfile
	Count  int    `json:"count,omitempty"` // how many instants were skipped, or requests rejected
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
	FireRejected = "rejected" // requests to a webhook that were not authentic, since Instant
)

// A RunTrigger is the trigger that starts a run.
type RunTrigger struct {
	Name string    `json:"name"`          // cron: 0 2 * * *
	Time time.Time `json:"time"`          // the instant
	Run  string    `json:"run,omitempty"` // of another workfile, whose end started this run
	// Files are paths of the files whose arrival started it.
	Files []string `json:"files,omitempty"`
	// Event is the kind of event that the sender of a webhook named.
	Event string `json:"event,omitempty"`
	// Body is what the sender of a webhook sent, nil for other triggers. Only requests have it; BodyFile is the path of the
	// file that has it, in descriptions of runs.
	Body     []byte `json:"body,omitzero"`
	BodyFile string `json:"body_file,omitempty"`
}
