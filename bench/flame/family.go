package main

// The roles of processes, each with a flame graph of its own.
const (
	roleClient   = "client"
	roleDaemon   = "daemon"
	roleRunner   = "runner"
	roleCommands = "commands"
)

var roles = []string{roleClient, roleDaemon, roleRunner, roleCommands}

// A family contains the roles of processes, which follow from who forked them. Processes without a role have
// nothing to do with the run.
type family struct {
	program string // name of wf
	perf    int    // process ID of perf, which starts the client
	daemon  int
	roles   map[int]string // by process ID
}

func newFamily(program string, perf, daemon int) *family {
	return &family{program: program, perf: perf, daemon: daemon, roles: map[int]string{daemon: roleDaemon}}
}

// fork takes that parent has forked child; a new thread is a child with the ID of its parent. For processes
// that were there before, perf reports forks at the start. IDs are used again, so a child may have had a role.
func (f *family) fork(child, parent int) {
	switch {
	case child == parent || child == f.daemon:
	case parent == f.perf:
		f.roles[child] = roleClient
	case parent == f.daemon:
		f.roles[child] = roleRunner // until exec tells otherwise
	case f.roles[parent] != "":
		f.roles[child] = roleCommands
	default:
		delete(f.roles, child)
	}
}

// exec takes that a process executes the program of this name. Besides runners, a daemon starts shells to ask
// them something.
func (f *family) exec(pid int, name string) {
	if f.roles[pid] == roleRunner && name != f.program {
		f.roles[pid] = roleCommands
	}
}
