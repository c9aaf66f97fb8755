package wire

// An Around are the hooks of a job: commands before and after its command. The runner executes them and the command through a
// supervisor, one process for the whole execution.
type Around struct {
	Before []Hook   `json:"before,omitempty"`
	After  []Hook   `json:"after,omitempty"`
	Env    []string `json:"env,omitempty"` // KEY=VALUE, only for the hooks
	Name   string   `json:"name"`          // of the execution, for people
	Log    string   `json:"log"`           // path of the file to which the output of the hooks is appended
	Fate   string   `json:"fate"`          // path of the file for the Fate
}

// A Hook is a command before or after the command of a job.
type Hook struct {
	Event     string `json:"event"` // WF_HOOK of the command: before_node, after_node
	Command   string `json:"command"`
	From      string `json:"from"` // where it stands, for people
	TimeoutMS int64  `json:"timeout_ms"`
}

// A Fate is what a supervisor leaves about an execution beyond its exit code. There is none if nothing is to be told.
type Fate struct {
	// Refused says that the command was not started because a hook failed, the only one of Failures.
	Refused bool `json:"refused,omitempty"`
	// NotStarted is why the command could not be started; "" if it was.
	NotStarted string `json:"not_started,omitempty"`
	// Ended says that the command has ended as Code and Signal say. It is on the disk before the first hook after it.
	Ended  bool `json:"ended,omitempty"`
	Code   int  `json:"code,omitempty"`
	Signal int  `json:"signal,omitempty"`
	// Stopped says that the supervisor got TERM before the command ended.
	Stopped  bool          `json:"stopped,omitempty"`
	Failures []HookFailure `json:"failures,omitempty"`
}

// A HookFailure is a hook that did not exit with code 0.
type HookFailure struct {
	Event string `json:"event"`
	From  string `json:"from"`
	Said  string `json:"said,omitempty"` // the end of its output
	Error string `json:"error"`
}

// appendAround encodes a job with hooks. Such jobs wait for no others, so After is not sent.
func appendAround(b []byte, j Job) []byte {
	return AppendLine(b, Command{Kind: LineAround, Node: j.ID.Node, Execution: j.ID.Execution, Shell: j.Shell, Line: j.Command,
		Env: j.Env, Merge: j.Merge, Foreseen: j.Foreseen, Around: j.Around})
}

// appendLaunch encodes a job with a launcher.
func appendLaunch(b []byte, j Job) []byte {
	c := Command{Kind: LineLaunch, Node: j.ID.Node, Execution: j.ID.Execution, Shell: j.Shell, Line: j.Command,
		Env: j.Env, Merge: j.Merge, Foreseen: j.Foreseen, Around: j.Around, Launcher: j.Launcher, Box: j.Box}
	for _, id := range j.After {
		c.After = append(c.After, [2]int{id.Node, id.Execution})
	}
	return AppendLine(b, c)
}
