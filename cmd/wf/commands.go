package main

import (
	"slices"

	"github.com/spf13/cobra"
)

// Groups of the commands in the help of wf itself.
const (
	groupRun     = "run"
	groupInspect = "inspect"
	groupEdit    = "edit"
	groupServer  = "server"
)

// A command is an entry of the list of commands: what the help of wf and the search for similar names show, and the
// function that builds the command with its flags and sub-commands.
type command struct {
	group string
	name  string
	alias string // "" for none
	short string
	build func(e *env) *cobra.Command
}

// commandList returns the commands, by groups, in the order of the help.
func commandList() []command {
	return []command{
		{groupRun, "run", "", "Run a workfile, or resume it after a failure", newRun},
		{groupRun, "resume", "", "Run failed nodes again, and those that waited for them", newResume},
		{groupRun, "plan", "", "Print what would run, in order, and why", newPlan},
		{groupRun, "accept", "", "Declare that the outputs of nodes are right as they are", newAccept},
		{groupRun, "attach", "", "Watch an active run", newAttach},
		{groupRun, "stop", "cancel", "Stop a run", newStop},
		{groupRun, "approvals", "", "List the nodes that wait for a person", newApprovals},
		{groupRun, "approve", "", "Approve nodes that wait for a person", newApprove},
		{groupRun, "reject", "", "Reject nodes that wait for a person", newReject},
		{groupRun, "kv", "", "Store values for commands: counters, locks, results", newKV},
		{groupInspect, "status", "", "Show the current state", newStatus},
		{groupInspect, "logs", "", "Print the output of nodes", newLogs},
		{groupInspect, "ls", "", "List the nodes", newLs},
		{groupInspect, "graph", "", "Show the graph of a workfile", newGraph},
		{groupInspect, webCommand, "", "Show workfiles in a browser, and run them", newWeb},
		{groupInspect, "text", "", "Print a workfile as text, or its JSON Schema", newText},
		{groupInspect, "diff", "", "Compare two versions of a workfile", newDiff},
		{groupInspect, "why", "", "Explain why a node ran, waits, did not run or failed", newWhy},
		{groupInspect, "out", "", "Print an output of a node", newOut},
		{groupInspect, "params", "", "List the parameters of a workfile", newParams},
		{groupInspect, "eval", "", "Evaluate an expression with the data of a run", newEval},
		{groupInspect, "runs", "", "Show and delete earlier runs", newRuns},
		{groupInspect, "check", "", "Find mistakes in a workfile", newCheck},
		{groupEdit, "new", "", "Create a workfile", newNew},
		{groupEdit, "edit", "", "Change a workfile", newEdit},
		{groupEdit, "reset", "", "Clear statuses, marks and captured output", newReset},
		{groupEdit, "mv", "", "Move a workfile with its history", newMv},
		{groupEdit, "git", "", "Teach git to show, merge and store workfiles", newGit},
		{groupEdit, "export", "", "Copy a workfile with graphics for yEd", newExport},
		{groupServer, "server", "daemon", "Start, stop and inspect the daemon", newServer},
		{groupServer, "trigger", "", "Let workfiles run by themselves: enable, list and test triggers", newTrigger},
		{groupServer, "host", "", "Work on other machines", newHost},
		{groupServer, "notify", "", "Show and try notifications about runs", newNotify},
		{groupServer, "audit", "", "Show who asked for what, and verify the audit log", newAudit},
		{groupServer, "metrics", "", "Print figures of the daemon and its runs for Prometheus", newMetrics},
		{groupServer, "doctor", "", "Show the settings, and find common problems", newDoctor},
		{groupServer, "completion", "", "Print the completion script of a shell", newCompletion},
		{groupServer, "man", "", "Write the manual pages into a folder", newMan},
		{groupServer, "version", "", "Print the version", newVersion},
		{groupServer, helpName, "", "Help about a command or a topic", newHelp},
	}
}

// helpName is the name of the command that replaces the help command of cobra.
const helpName = "help"

// addCommands adds all commands to root. It builds those that wanted selects. The others get no flags and
// sub-commands, because building all of them takes longer than many commands do, and must not be executed.
func addCommands(root *cobra.Command, e *env, wanted func(command) bool) {
	for _, c := range commandList() {
		cmd := &cobra.Command{Use: c.name, Run: notBuilt}
		if wanted(c) {
			cmd = c.build(e)
		}
		cmd.GroupID, cmd.Short = c.group, c.short
		if c.alias != "" {
			cmd.Aliases = []string{c.alias}
		}
		if c.name == helpName {
			root.SetHelpCommand(cmd)
		}
		root.AddCommand(cmd)
	}
}

// notBuilt is the action of commands that addCommands did not build.
func notBuilt(cmd *cobra.Command, _ []string) {
	panic("internal error: the command " + cmd.Name() + " was not built")
}

// everyCommand selects all commands.
func everyCommand(command) bool { return true }

// commandsOf returns a function that reports whether a command must be built for args: if its name is among args, because
// only then can it be executed. Completion and man need all commands.
func commandsOf(args []string) func(command) bool {
	if isCompletion(args) || slices.Contains(args, "man") {
		return everyCommand
	}
	return func(c command) bool {
		return slices.Contains(args, c.name) || c.alias != "" && slices.Contains(args, c.alias)
	}
}
