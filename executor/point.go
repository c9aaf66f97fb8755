package executor

// thisBoot names the boot of the machine, see bootID; all that the record knows of processes holds
// within one. Only tests put another machine here.
var thisBoot = bootID

// The points between which a runner can die, in the order in which an execution passes them.
const (
	pointIntent     = "intent"      // the intent is durable
	pointForkEntry  = "fork entry"  // it is written that the fork comes next
	pointForked     = "forked"      // the child exists, and nobody has written down its pid
	pointStarted    = "started"     // the start is noted
	pointDied       = "died"        // the leader is a zombie
	pointEndNoted   = "end noted"   // the end is noted
	pointEndWritten = "end written" // and written, the zombie not reaped
)

// reached is called at each of the points. Only tests put something else here: a runner that dies
// right there.
var reached = func(point string, id ID) {}

// What a runner and its daemon ask of the machine for a run beside the operations of the record, as
// far as it may refuse.
const (
	opFork         = "fork"
	opOutput       = "create output"
	opOutputFolder = "open output folder"
	opMeasure      = "measure output"
	opEnvironment  = "read environment"
	opKeep         = "write environment"
	opListen       = "listen"
	opAccept       = "accept"
	opTally        = "write tally"
	opTimes        = "write times"
	opLock         = "lock"
	opRunner       = "start runner"
)

// refused is asked before each of them: an error is taken for the machine's answer. Only tests put
// something else here.
var refused = func(op, path string) error { return nil }
