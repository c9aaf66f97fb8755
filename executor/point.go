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
