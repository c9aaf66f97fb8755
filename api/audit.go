package api

// Names and versions of the documents of wf audit.
const (
	SchemaAudit       = "wf.audit/v1"
	SchemaAuditVerify = "wf.audit-verify/v1"
)

// An Action is the name of a request in the audit log, such as "run" or "stop". A request that changes something has one, or
// NotAudited.
type Action string

// NotAudited marks requests whose effects are not logged: they change nothing but what the daemon has open, or values of
// commands.
const NotAudited Action = "-"

// Origin is HeaderOrigin, encoded like the query of a GET: what the client says about itself for the audit log. The daemon
// stores it as said, and decides nothing with it.
type Origin struct {
	Command string `query:"command"` // "wf run"
	SSH     string `query:"ssh"`     // address from which its user logged in with ssh
	Host    string `query:"host"`    // its machine, if that is not the daemon's
	// Workfile, Run and Node are set by a command of a run.
	Workfile string `query:"workfile"`
	Run      string `query:"run"`
	Node     string `query:"node"`
}
