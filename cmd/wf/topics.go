package main

import (
	"fmt"
	"strings"

	"wf/tui"
)

// A topic is a page of help that belongs to no single command.
type topic struct {
	name, short string
	text        func() string
}

// topics are the pages, in the order in which people need them.
func topics() []topic {
	return []topic{
		{"selectors", "How to name nodes", fixed(selectorsTopic)},
		{"states", "The states of nodes and their signs", fixed(statesTopic)},
		{"workfiles", "What wf reads in a workfile", fixed(workfilesTopic)},
		{"exit-codes", "Exit statuses", fixed(exitTopic)},
		{"keys", "Keys of the terminal interface", tui.Keys},
		{"json", "Output for programs", fixed(jsonTopic)},
		{"config", "Settings, their files and variables", configTopic},
		{"environment", "Variables that wf reads and sets", fixed(environmentTopic)},
		{"recipes", "What to type when", fixed(recipesTopic)},
	}
}

func fixed(text string) func() string { return func() string { return text } }

func topicNamed(name string) (topic, bool) {
	for _, t := range topics() {
		if t.name == name {
			return t, true
		}
	}
	return topic{}, false
}

const recipesTopic = `WHAT TO TYPE WHEN

  run it                           wf run
  look at it, and do all of this   wf               keys: wf help keys
  see what it would do             wf plan
  start it and go home             wf run -d        later: wf attach
  which node failed, and why       wf status, wf logs --failed, wf why NODE
  go on after mending              wf run           or wf resume
  run one node again               wf run --nodes NODE
  a node and all that follows      wf run --nodes NODE+
  everything again                 wf run --fresh
  stop it                          wf stop          or Ctrl-C in wf run
  it was done by hand              wf edit status NODE ran, then wf resume
  change a command                 wf edit set NODE label 'COMMAND'
  change several                   wf edit nodes 'align_*'   take it back: wf edit undo
  count, or lock, between commands wf kv incr done, wf kv set --if-absent lock $$
  a picture of it                  wf graph --format svg > picture.svg
  make one of a makefile           wf new Workfile --from make Makefile
  yesterday's run                  wf runs, wf runs show RUN, wf logs RUN/NODE
  something is wrong with wf       wf doctor, wf server logs`

const selectorsTopic = `SELECTORS

  NODE        a handle, an id, the beginning of an id (4 letters or more)
  'align_*'   a pattern: * ? [abc]
  +NODE       the node and everything it depends on
  NODE+       the node and everything that depends on it
  s:failed    by state: idle queued running ok failed cancelled blocked
  g:align     by group, or the container the node lies in; patterns too

A list with commas is all of them together: --nodes 'fetch,align_*,s:failed'. What --exclude
names is taken off. The handle of a node is its name where it has one, else the first word
of its command; wf ls shows it. Two nodes of one name are told apart by ~2, ~3.

Everything is looked up before anything is run: a typo runs nothing.`

const statesTopic = `STATES

  · .  idle       nothing has happened to it, or it is no part of the run
  ○ o  queued     it may start, and waits for a slot
  ● *  running    its process is alive
  ✓ +  ok         it ended with status 0
  ✗ x  failed     another status, a signal, a timeout, or it could not start
  ⊘ !  blocked    it waits for something that failed
  ◌ ~  cancelled  it was stopped, by a person or by --fail-fast

The second sign is that of --ascii, which is chosen by itself where the locale is not UTF-8.
wf why NODE explains the state of a node in words.`

const workfilesTopic = `WORKFILES

A workfile is GraphML, as any graph editor writes it. Attributes are found by their name:

  node    label     the command
          name      what people call it; without one, the first word of the command
          status    '' run running ran fail: kept by wf
          group     nodes that belong together: g:GROUP
  edge    edge_type blocking (the default): the target waits for the source
                    non-blocking: the target runs again each time the source succeeds
  graph   wrapper   goes around every command: bash -c '{}'; {} is the command
          jobs      commands of a run at once
          cwd       where commands work; the folder of the workfile if it is not there
          shell     what executes them; /bin/sh if it is not there
          max_activations  how often a node may run in one run: 1000 if it is not there

prefix and suffix of older workfiles are understood as wrapper. Everything else in the file,
drawings, comments and the data of other programs, stays as it is, byte for byte.`

const exitTopic = `EXIT STATUS

  0    every node that had to run succeeded, or nothing was to do
  1    the run ended with failed nodes; also any other failure that has no number here
  2    usage: unknown command, flag, node or setting, bad selector
  3    the workfile cannot be used: missing, unreadable, a cycle, an edge without an end
  4    the daemon cannot be started or reached, or was lost
  5    wf run --approval fail: a node waits for a person, and nobody can answer
  6    the run was stopped by somebody else
  7    wf run: the nodes belong to a run that is going; wf status --exit-code: still running
  124  --timeout
  129  the terminal of wf run went away; the run goes on
  130  stopped by SIGINT (Ctrl-C) of this command
  143  stopped by SIGTERM of this command

wf check ends with 0 or 3, wf doctor with 0 or 1, wf server status with 0 or 4. wf kv get ends
with 1 when there is no value, wf kv set and del when a condition of theirs is not met.`

const jsonTopic = `JSON

With --json a command prints JSON on standard output and nothing else there. Each object has
"schema", its name and version. Within a version members are only ever added: skip those that
you do not know. Times are RFC 3339 in UTC, durations are whole milliseconds (..._ms), ids and
the numbers of runs are strings.

  wf run, wf attach           wf.event/v1   a line per event; run_complete is the last
  wf status [--watch]         wf.status/v1  with --watch a line per change
  wf ls                       wf.nodes/v1
  wf plan, wf run --dry-run   wf.plan/v1
  wf why NODE                 wf.why/v1
  wf runs                     wf.runs/v1
  wf runs show RUN            wf.run/v1
  wf logs NODE                wf.log/v1     a line per line of output
  wf graph                    wf.graph/v1
  wf edit VERB                wf.edit/v1
  wf kv VERB                  wf.kv/v1
  wf kv ls                    wf.kv-keys/v1
  wf check                    wf.check/v1
  wf approvals                wf.approvals/v1
  wf approve, wf reject       wf.decision/v1
  wf out NODE.KEY             wf.outputs/v1
  wf server status, ls        wf.server/v1
  wf doctor                   wf.doctor/v1
  wf version                  wf.version/v1

  wf status --json | jq -r '.nodes[] | select(.state == "failed") | .name'
  wf run --json | jq -r 'select(.type == "node_failed") | .name'`

const environmentTopic = `ENVIRONMENT

Every setting of wf help config has a variable. Besides:

  WF_RUNTIME_DIR, XDG_RUNTIME_DIR   where socket and lock of the daemon lie
  WF_STATE_DIR, XDG_STATE_HOME      where the history lies
  XDG_CONFIG_HOME                   where config.toml of the user lies, in wf/
  NO_COLOR                          any value: no colours
  FORCE_COLOR, CLICOLOR_FORCE       any value: colours also where there is no terminal
  LC_ALL, LC_CTYPE, LANG            not UTF-8: signs of ASCII
  COLUMNS                           width of the terminal
  WF_LOG=debug                      write what is said to the daemon to client.log in the state
                                    folder, and in a daemon that starts its requests to its log

A command runs with the environment of the wf run that started it, and these:

  WF_WORKFILE     path of the workfile        WF_NODE_ID    id of the node
  WF_RUN_ID       number of the run           WF_NODE_NAME  its handle
  WF_EXECUTION    how often it began in this run, from 1

wf kv inside a command takes workfile and run from them.`

// configTopic is written from the settings themselves.
func configTopic() string {
	var b strings.Builder
	b.WriteString(`SETTINGS

What you do not want to say every time. The first of these that says something counts: the
flag, the variable, the attribute of the workfile (jobs, wrapper), .wf.toml beside the workfile,
config.toml in $XDG_CONFIG_HOME/wf or ~/.config/wf, what is built in. wf doctor shows what
holds, and where it was said.

`)
	for _, s := range settings() {
		fmt.Fprintf(&b, "%s\n      %s\n", strings.TrimRight(fmt.Sprintf("  %-14s %-18s %s", s.key, s.variable(), s.builtin), " "), s.help)
		if len(s.words) > 0 {
			fmt.Fprintf(&b, "      %s\n", strings.Join(s.words, ", "))
		}
	}
	b.WriteString(`
The settings from slots on are those of the daemon. It serves all workfiles, so that they stand
only in config.toml of the user; they hold from its next start on: wf server restart.

  # ~/.config/wf/config.toml
  jobs = 4
  grace = "30s"
  interrupt = "ask"`)
	return b.String()
}
