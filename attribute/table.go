package attribute

// table has a row for each attribute: that is all there is to adding one to the check of names, the
// completion, the attribute editor of the terminal interface and `wf help attributes`. What it does is
// up to the package that reads it.
var table = []Attribute{
	// What a node is.
	{Name: "name", On: Node, Role: Shared, Meaning: "unique in the workfile; empty: a handle is made from the command"},
	{Name: "label", On: Command, Role: Shared, Long: true, Meaning: "what the shell runs"},
	{Name: "group", On: Node, Role: Shared, Meaning: "for g:GROUP and for folding"},
	{Name: "x", On: Node, Role: Shared, Kind: Factor, Meaning: "its place in a drawing"},
	{Name: "y", On: Node, Role: Shared, Kind: Factor, Meaning: "its place in a drawing"},

	// How often the nodes of a container run.
	{Name: "foreach", On: SubFlow, Kind: Other, Words: []string{"lines:"}, Long: true, Mistaken: []string{"for_each", "for_every"},
		Meaning: "a JSON list, lines:COMMAND or ${{ EXPR }}: one instance for each"},
	{Name: "times", On: SubFlow, Kind: Number, Meaning: "how many instances"},
	{Name: "while", On: SubFlow, Kind: Expression, Long: true,
		Meaning: "an expression: as long as it holds, one instance after the other"},
	{Name: "until", On: SubFlow, Kind: Expression, Long: true,
		Meaning: "an expression: one instance after the other, until it holds"},
	{Name: "parallel", On: SubFlow, Kind: Number, Meaning: "how many instances at once", Mistaken: []string{"max_parallel"}},
	{Name: "on_failure", On: SubFlow, Kind: Word, Words: []string{"stop", "continue", "cancel"}, Mistaken: []string{"fail_fast"},
		Meaning: "stop: none begins any more; continue: the rest goes on; cancel: all of it ends"},
	{Name: "stop_when", On: SubFlow, Kind: Expression, Long: true,
		Meaning: "an expression: when it holds after an instance, no further one starts"},
	{Name: "min_success", On: SubFlow, Kind: Other, Mistaken: []string{"min_successes", "min_succeeded"},
		Meaning: "with on_failure=continue, a number or 80%: so many must succeed"},
	{Name: "max_iterations", On: SubFlow, Kind: Count, Meaning: "after so many it fails; 1000"},

	// When and how a node runs.
	{Name: "idempotent", On: Command, Kind: Truth, Words: []string{"true", "false"},
		Meaning: "true: it may run twice, so it is repeated when nobody knows how it ended"},
	{Name: "approve", On: Command | SubFlow, Long: true, Mistaken: []string{"approval", "approvals"},
		Meaning: "a question: it waits until somebody says yes; ${{ }} may stand in it"},
	{Name: "approve_timeout", On: Command | SubFlow, Kind: Duration, Mistaken: []string{"approval_timeout"},
		Meaning: "30s, 2h, 7d: how long it waits for an answer"},
	{Name: "approve_default", On: Command | SubFlow, Kind: Word, Words: []string{"reject", "approve"}, Mistaken: []string{"approval_default"},
		Meaning: "approve or reject, when the time is over"},
	{Name: "wait", On: Command | SubFlow, Kind: Duration, Meaning: "30s, 2h, 1d: how long after its turn it starts"},
	{Name: "wait_until", On: Command | SubFlow, Kind: Moment, Meaning: "2026-01-31T08:00:00Z: it does not start before"},
	{Name: "timeout", On: Command | SubFlow, Kind: Duration, Meaning: "30s, 2h, 1d: longer is a failure"},
	{Name: "retries", On: Command | SubFlow, Kind: Number, Mistaken: []string{"retry", "max_retries", "retry_count", "retry_limit"},
		Meaning: "how often it is repeated when it fails"},
	{Name: "retry_delay", On: Command | SubFlow, Kind: Duration, Meaning: "30s: between a failure and the next attempt"},
	{Name: "retry_backoff", On: Command | SubFlow, Kind: Factor, Meaning: "2: by how much the delay grows each time"},
	{Name: "retry_max_delay", On: Command | SubFlow, Kind: Duration, Meaning: "10m: it grows no further"},
	{Name: "retry_on", On: Command | SubFlow, Kind: Other, Words: []string{"exit:", "timeout", "signal"},
		Meaning: "exit:1,2  timeout  signal; empty: after every failure"},
	{Name: "env", On: Command | SubFlow, Role: Shapes, Kind: Other, Long: true,
		Meaning: "KEY=VALUE lines; ${{ }} may stand in a value"},
	{Name: "pool", On: Command, Role: Shapes, Kind: Other, Meaning: "gpu:1: units of a pool that it needs"},
	{Name: "output", On: Command | Graph, Role: Shared, Kind: Word, Words: []string{"merged", "split"},
		Meaning: "split: standard output and standard error apart, and their order is lost"},
	{Name: "join", On: Command | SubFlow, Kind: Other, Words: []string{"all", "any"},
		Meaning: "all, any, or a number of edges that must have fired"},
	{Name: "join_timeout", On: Command | SubFlow, Kind: Duration, Meaning: "30s: then it goes on with what has arrived"},
	{Name: "join_losers", On: Command | SubFlow, Kind: Word, Words: []string{"leave", "cancel"},
		Meaning: "cancel: what runs only for it is stopped; leave"},

	// Edges.
	{Name: "when", On: Edge, Kind: Other, Words: []string{"success", "failure", "done", "exit:", "case:", "if:", "else"},
		Meaning: "success, failure, done, exit:2,10-20, case:NAME, if:EXPR or else"},
	{Name: "edge_type", On: Edge, Kind: Word, Words: []string{"blocking", "non-blocking"},
		Meaning: "blocking: the target waits; non-blocking: it runs again after the source"},
	{Name: "id", On: Edge, Role: Written, Meaning: "its name in the file"},

	// The graph.
	{Name: "wrapper", On: Graph, Kind: Other, Meaning: "a command line around every command, which stands where it has {}"},
	{Name: "shell", On: Graph, Kind: Other, Meaning: "the shell of all commands; /bin/sh"},
	{Name: "cwd", On: Graph, Kind: Other, Meaning: "the folder of all commands, relative to that of the workfile"},
	{Name: "jobs", On: Graph, Role: Shapes, Kind: Number, Meaning: "how many commands run at once"},
	{Name: "max_activations", On: Graph, Kind: Count, Meaning: "how often a node may run in one run; 1000"},
	{Name: "max_instances", On: Graph, Kind: Count, Meaning: "how many nodes the instances of a run may have; 500000"},
	{Name: "params", On: Graph, Kind: JSON, Long: true, Mistaken: []string{"parameters"},
		Meaning: `what a run is asked for: {"name": {"type": "string", "required": true}}`},
	{Name: "on_busy", On: Graph, Kind: Word, Words: []string{"refuse", "queue", "cancel"},
		Meaning: "what becomes of a run while another one covers the same nodes"},
	{Name: "results", On: Graph, Role: Shapes, Kind: Other, Words: []string{"none", "status", "file"},
		Meaning: "what a run writes into the workfile: none, status, or file (also output)"},
	{Name: "prefix", On: Graph, Role: Shared, Meaning: "of older versions: use wrapper"},
	{Name: "suffix", On: Graph, Role: Shared, Meaning: "of older versions: use wrapper"},

	// What runs write.
	{Name: "status", On: Node, Role: Written, Kind: Word, Words: []string{"", "run", "running", "ran", "fail", "skip"}, Meaning: "how it ended"},
	{Name: "status", On: Edge, Role: Written, Kind: Word, Words: []string{"", "to_run", "skip"}, Meaning: "whether it has fired"},
	{Name: "command", On: Node, Role: Written, Meaning: "what was executed"},
	{Name: "stdout", On: Node, Role: Written, Meaning: "the end of what it wrote to standard output"},
	{Name: "stderr", On: Node, Role: Written, Meaning: "the end of what it wrote to standard error"},
	{Name: "pid", On: Node, Role: Written, Kind: Number, Meaning: "its process"},
	{Name: "error_code", On: Node, Role: Written, Kind: Number, Meaning: "its exit code"},
	{Name: "log", On: Node, Role: Written, Meaning: "of older versions: what it wrote"},
}
