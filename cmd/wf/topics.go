package main

import (
	"fmt"
	"strings"

	"wf/cmd/wf/settings"
	"wf/tui"
)

// A topic is a page of help that does not belong to a command.
type topic struct {
	name, short string
	text        func() string
}

// topics returns the pages in the order of the help.
func topics() []topic {
	return []topic{
		{"selectors", "How to name nodes", fixed(selectorsTopic)},
		{"states", "The states of nodes and their signs", fixed(statesTopic)},
		{"glossary", "The meaning of words", fixed(glossaryTopic)},
		{"workfiles", "What wf reads in a workfile", fixed(workfilesTopic)},
		{"control-flow", "Conditions, loops, approvals and parameters", fixed(controlTopic)},
		{"attributes", "All attributes of nodes, edges and the graph", attributesTopic},
		{"background", "Processes that commands leave behind", fixed(backgroundTopic)},
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

  run the workfile                 wf run
  do everything in a terminal UI   wf               keys: wf help keys
  see what would run               wf plan
  start it and go home             wf run -d        later: wf attach
  which node failed, and why       wf status, wf logs --failed, wf why NODE
  continue after a fix             wf run           or wf resume
  run one node again               wf run --nodes NODE
  run a node and all that follow   wf run --nodes NODE+
  run everything again             wf run --fresh
  stop a run                       wf stop          or Ctrl-C in wf run
  keep a process beyond its run    wf help background
  mark a node as done by hand      wf edit status NODE ran, then wf resume
  change a command                 wf edit set NODE label 'COMMAND'
  change several commands          wf edit nodes 'align_*'   undo: wf edit undo
  count or lock between commands   wf kv incr done, wf kv set --if-absent lock $$
  draw a picture                   wf graph --format svg > picture.svg
  import a makefile                wf new Workfile --from make Makefile
  answer nodes that wait           wf approvals     then: wf approve NODE, wf reject NODE
  run with other parameters        wf run -p NAME=VALUE
  try one branch                   wf run --mock NODE=exit:3 --until OTHER
  skip what is done                wf run --from NODE, or --skip NODE
  print an output value            wf out NODE.KEY
  look at yesterday's run          wf runs, wf runs show RUN, wf logs RUN/NODE
  find problems of wf itself       wf doctor, wf server logs`

const selectorsTopic = `SELECTORS

  NODE        a handle, an id, or the beginning of an id (4 letters or more)
  'align_*'   a pattern: * ? [abc]
  +NODE       the node and everything it depends on
  NODE+       the node and everything that depends on it
  s:failed    by state: idle queued running ok failed cancelled blocked skipped waiting retrying
  id:ID       the node with this id, even if another node has it as a handle
  g:align     by group, or by the container of the node; patterns are possible
  'align[3]/trim', 'align[3]', 'align[*]/trim'
              nodes in instances of a sub-flow: wf run --nodes repeats only these, and keeps the
              other nodes of the instances

Commas join selectors: --nodes 'fetch,align_*,s:failed'. --exclude removes nodes from the result.

wf ls shows the handle of each node. It is the first of these that the node has: its name; its
id, if that looks chosen by a person (no UUID, no n12); a comment at the end of its command
(... # align S1); the program, with what distinguishes its command from others with that program
(trim_S017). Equal handles get the suffixes ~2, ~3. The program of several nodes (trim) is an error
that lists them. An id always means its node; id:ID is never a handle.

All selectors are resolved before anything runs: a typo runs nothing.`

const statesTopic = `STATES

  · .  idle       it has not run, or it is not part of the run
  ○ o  queued     it may start and waits for a slot
  ● *  running    its process is alive
  ✓ +  ok         it ended with status 0
  ✗ x  failed     another status, a signal, a timeout, or it could not start
  ⊘ !  blocked    it waits for a node that failed
  ◌ ~  cancelled  it was stopped, by a person or by --fail-fast
  ↷ /  skipped    no edge to it can fire any more
  ◆ ?  waiting    for a person (wf approvals), a time, or a pool (wf server pools)
  ↻ r  retrying   it failed and waits for its next attempt

A failure for which an edge has fired is "handled": it is shown, and the run can succeed. A "mocked"
node was not executed; wf run --mock or --skip gave it a result.

The second sign is for --ascii, which is the default if the locale is not UTF-8.
wf why NODE explains the state of a node in words.`

const workfilesTopic = `WORKFILES

A workfile is a GraphML file; graph editors can write it. Attributes are found by their names:

  node    label     the command
          name      its handle; without one, the first word of the command
          status    '' run running ran fail skip: written by wf
          group     nodes that belong together: g:GROUP
  edge    edge_type blocking (the default): the target waits for the source
                    non-blocking: the target runs again each time the source succeeds
  graph   wrapper   the template around every command: bash -c '{}'; {} is the command
          jobs      the number of commands of a run at the same time
          cwd       the working folder of commands (default: the folder of the workfile)
          shell     the shell of commands, with its options (default: /bin/sh)
          max_activations  how often a node may run in one run (default: 1000)
          max_instances    how many nodes all instances may have in one run (default: 500000)
          output    merged: standard output and standard error in one output, in the order in
                    which they were written; split: apart. Nodes may have it, too

Conditions, retries, loops, approvals and parameters are attributes, too: wf help control-flow.

{} in a wrapper stands for the command as one word, or for its text inside quotes. A program that
starts another one needs a shell for the command: nice sh -c {}, docker run IMAGE sh -c {}; wf
check finds missing shells. To stop commands at the first error, also in a pipe, set shell to bash
-euo pipefail: wf edit set-graph shell 'bash -euo pipefail'.

prefix and suffix of older workfiles work as a wrapper. Everything else in the file (drawings,
comments and data of other programs) stays unchanged, byte for byte.`

const controlTopic = `CONTROL FLOW

Attributes of nodes, edges, containers and the graph control what runs. Set them with wf edit set,
set-edge and set-graph, or with any GraphML editor; wf check finds mistakes.

Edges: when=CONDITION is the condition on which an edge fires after its source has ended.

  success         the source succeeded (the default)
  failure, done   the source failed; the source succeeded or failed
  exit:2,10-20    it ended with one of these codes
  case:NAME       its output case is NAME
  if:EXPR         EXPR is true
  else            none of the case, exit and if edges of the source fired

A node is skipped if no edge to it can fire any more. A failure for which an edge fires is handled.

Nodes:

  join      any, all (the default) or a number: how many edges must fire
  join_timeout, join_losers=cancel
  timeout, retries, retry_delay, retry_backoff, retry_max_delay, retry_on
  wait, wait_until     a delay before it starts, or a point in time
  approve   a question to a person; approve_fields, approve_timeout, approve_default
  env       lines NAME=VALUE, which may contain ${{ EXPR }}
  pool      the units that it needs of a pool: gpu:1; see wf server pools

Containers with one of these attributes repeat their nodes; without one they are groups:

  foreach   a JSON list, lines:COMMAND, or ${{ EXPR }}
  times     a number
  while, until         a test before, or after, each round
  parallel, on_failure=continue or cancel, min_success, stop_when, max_iterations,
  rate_limit=10/1m

Instances have paths: align[3]/trim. Every command that accepts NODE accepts paths.

The graph:

  params    parameters as JSON: type (string, int, float, bool, path, list, json,
            secret), required, default, choices, choices_from, must_exist, help ...; wf params
  on_busy   refuse, queue or cancel, if a run of the same nodes is active

EXPRESSIONS (expr-lang.org) see item, index, iteration, parent, params.NAME,
nodes.NAME.outputs.KEY, .exit_code, .status, .results and .arrivals, env.NAME, run.id, now(),
uuid(); in while and until also previous.NAME: a node in the round before.
A command sets outputs by writing KEY=VALUE lines or a JSON object to $WF_OUTPUT. Commands get
values only as variables: wf help environment.

  wf run -p env=prod                    a parameter; wf asks for missing ones on a terminal
  wf run --from test --until deploy     a part of the graph; nodes before it count as done
  wf run --skip build --mock test=exit:3 --mock 'score={"value": 0.9}'
  wf approvals; wf approve deploy --set window=14:00; wf reject deploy --comment 'not today'
  wf out build.version                  an output, also inside a command
  wf eval 'nodes.test.exit_code == 0'   the value of an expression, with the data of a run

docs/control-flow.md of the project explains everything, with examples and all functions.`

const exitTopic = `EXIT STATUS

  0    every node that had to run succeeded, or there was nothing to do
  1    the run ended with failed nodes
  2    usage: unknown command, flag, node or setting, bad selector
  3    the workfile cannot be used: missing, unreadable, a cycle, an edge to a missing node
  4    the daemon cannot be started or reached, or was lost; or another error
  5    wf run --approval fail: a node waits for a person
  6    another command stopped the run
  7    wf run: an active run has the nodes; wf status --exit-code: a run is active
  124  --timeout
  129  the terminal of wf run was closed; the run continues
  130  stopped by SIGINT (Ctrl-C) of this command
  143  stopped by SIGTERM of this command

wf check ends with 0 or 3, and wf server status with 0 or 4. Commands that run nothing end with 1
for a negative answer: wf doctor found problems, wf kv get found no value, or the condition of wf
kv set or del was not met.`

const jsonTopic = `JSON

With --json a command prints only JSON on standard output. The member "schema" of each object has
its name and version. Within a version members are only added: ignore unknown ones. Times are RFC
3339 in UTC, durations are whole milliseconds (..._ms), ids and run numbers are strings.

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

Every setting of wf help config has a variable. Further variables:

  WF_RUNTIME_DIR, XDG_RUNTIME_DIR   folder of the socket and the lock of the daemon
  WF_STATE_DIR, XDG_STATE_HOME      folder of the history
  XDG_CONFIG_HOME                   folder of the configuration of the user: wf/config.toml
  NO_COLOR                          any value: no colours
  FORCE_COLOR, CLICOLOR_FORCE       any value: colours even if there is no terminal
  LC_ALL, LC_CTYPE, LANG            if not UTF-8: signs are ASCII
  COLUMNS                           width of the terminal
  WF_LOG=debug                      log messages to and from the daemon to client.log in the state
                                    folder; a daemon that is started then logs its requests

A command runs with the environment of its wf run, and these variables:

  WF_WORKFILE     path of the workfile        WF_NODE_ID    id of the node
  WF_RUN_ID       number of the run           WF_NODE_NAME  its handle
  WF_EXECUTION    number of its execution in this run, from 1
  WF_OUTPUT       file for its outputs: key=value lines, key<<END blocks, or a JSON object
  WF_INPUT        file with these variables and those of env as a JSON object, if the command
                  names it: for values of more than 128 KiB, which do not fit into a variable
  WF_PARAM_NAME   value of a parameter        WF_APPROVAL_NAME  value of wf approve --set
  WF_ITEM, WF_INDEX  of an instance of a foreach or times; WF_ITERATION of a while or until

In these names, characters other than letters and digits are replaced by "_".

wf kv inside a command uses them to find workfile and run.`

// configTopic returns the page about settings, generated from their list.
func configTopic() string {
	var b strings.Builder
	b.WriteString(`SETTINGS

Settings are defaults for flags. The value comes from the first of these that has one: the flag,
the variable, the attribute of the workfile (jobs, wrapper), .wf.toml beside the workfile,
config.toml in $XDG_CONFIG_HOME/wf or ~/.config/wf, the built-in value. wf doctor shows all values
and where they come from.

`)
	for _, s := range settings.All() {
		fmt.Fprintf(&b, "%s\n      %s\n", strings.TrimRight(fmt.Sprintf("  %-14s %-18s %s", s.Key, s.Variable(), s.Builtin), " "), s.Help)
		if len(s.Words) > 0 {
			fmt.Fprintf(&b, "      %s\n", strings.Join(s.Words, ", "))
		}
	}
	b.WriteString(`
A .wf.toml can contain a wrapper, which is executed. Therefore the file, its folder and a link to it
must belong to you or root and must not be writable for other users; otherwise wf refuses to run
anything and says why. trust names folders where this is not checked.

The settings from trust on are only allowed in config.toml of the user. Those from slots on are
settings of the daemon, which serves all workfiles. They take effect at its next start: wf server
restart.

  # ~/.config/wf/config.toml
  jobs = 4
  grace = "30s"
  interrupt = "ask"`)
	return b.String()
}
