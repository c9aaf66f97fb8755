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
		{"glossary", "What the words mean", fixed(glossaryTopic)},
		{"workfiles", "What wf reads in a workfile", fixed(workfilesTopic)},
		{"control-flow", "Conditions, repeats, people and values", fixed(controlTopic)},
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
  keep a process beyond its run    wf help background
  it was done by hand              wf edit status NODE ran, then wf resume
  change a command                 wf edit set NODE label 'COMMAND'
  change several                   wf edit nodes 'align_*'   take it back: wf edit undo
  count, or lock, between commands wf kv incr done, wf kv set --if-absent lock $$
  a picture of it                  wf graph --format svg > picture.svg
  make one of a makefile           wf new Workfile --from make Makefile
  see what waits for a person      wf approvals     then: wf approve NODE, wf reject NODE
  run it with other values         wf run -p NAME=VALUE
  try one branch                   wf run --mock NODE=exit:3 --until OTHER
  pass over what is done           wf run --from NODE, or --skip NODE
  what a command has put out       wf out NODE.KEY
  yesterday's run                  wf runs, wf runs show RUN, wf logs RUN/NODE
  something is wrong with wf       wf doctor, wf server logs`

const selectorsTopic = `SELECTORS

  NODE        a handle, an id, the beginning of an id (4 letters or more)
  'align_*'   a pattern: * ? [abc]
  +NODE       the node and everything it depends on
  NODE+       the node and everything that depends on it
  s:failed    by state: idle queued running ok failed cancelled blocked skipped waiting retrying
  id:ID       the node with this id, whatever others are called
  g:align     by group, or the container the node lies in; patterns too
  'align[3]/trim', 'align[3]', 'align[*]/trim'
              nodes in instances of a sub-flow: wf run --nodes repeats just these, and leaves
              all else in there as it was

A list with commas is all of them together: --nodes 'fetch,align_*,s:failed'. What --exclude
names is taken off.

wf ls shows the handle of each node. It is the first of these that the node has: its name; its
id, if that is a word that a person chose (no UUID, no n12); a comment at the end of its command
(... # align S1); the program, and what distinguishes its command from others with that program
(trim_S017). Equal ones are told apart by ~2, ~3. A program that several nodes run (trim) is an
error that lists them. An id always means its node; id:ID is an id and nothing else.

Everything is looked up before anything is run: a typo runs nothing.`

const statesTopic = `STATES

  · .  idle       nothing has happened to it, or it is no part of the run
  ○ o  queued     it may start, and waits for a slot
  ● *  running    its process is alive
  ✓ +  ok         it ended with status 0
  ✗ x  failed     another status, a signal, a timeout, or it could not start
  ⊘ !  blocked    it waits for something that failed
  ◌ ~  cancelled  it was stopped, by a person or by --fail-fast
  ↷ /  skipped    no path leads to it: the edges have gone another way
  ◆ ?  waiting    for a person (wf approvals), a moment, or a pool (wf server pools)
  ↻ r  retrying   it failed, and waits for its next attempt

A failure that an edge has fired for is "handled": it is shown, and the run succeeds. "mocked"
was not executed: wf run --mock or --skip said how it ends.

The second sign is that of --ascii, which is chosen by itself where the locale is not UTF-8.
wf why NODE explains the state of a node in words.`

const workfilesTopic = `WORKFILES

A workfile is GraphML, as any graph editor writes it. Attributes are found by their name:

  node    label     the command
          name      what people call it; without one, the first word of the command
          status    '' run running ran fail skip: kept by wf
          group     nodes that belong together: g:GROUP
  edge    edge_type blocking (the default): the target waits for the source
                    non-blocking: the target runs again each time the source succeeds
  graph   wrapper   goes around every command: bash -c '{}'; {} is the command
          jobs      commands of a run at once
          cwd       where commands work; the folder of the workfile if it is not there
          shell     what executes them, with its options; /bin/sh if it is not there
          max_activations  how often a node may run in one run: 1000 if it is not there
          max_instances    how many nodes the instances of containers may have in one run: 500000
                           if it is not there
          output    merged: standard output and standard error in one, in the order in which they
                    were written; split: apart. Nodes may have it, too

Conditions, retries, loops, approvals and parameters are attributes too: wf help control-flow.

{} in a wrapper stands for the command as one word, or for its text within quotes. A program
that starts another one needs a shell for it: nice sh -c {}, docker run IMAGE sh -c {}; wf check
says where one is missing. For commands that stop at the first error, also within a pipe, set
shell to bash -euo pipefail: wf edit set-graph shell 'bash -euo pipefail'.

prefix and suffix of older workfiles are understood as wrapper. Everything else in the file,
drawings, comments and the data of other programs, stays as it is, byte for byte.`

const controlTopic = `CONTROL FLOW

Attributes of nodes, edges, containers and the graph say more than "after". wf edit set,
set-edge and set-graph write them, as any GraphML editor does; wf check names mistakes.

Edges: when=CONDITION says after which end of its source an edge fires.

  success         it succeeded; the same without the attribute
  failure, done   it failed; either way
  exit:2,10-20    it ended with one of these codes
  case:NAME       it has put out case=NAME
  if:EXPR         EXPR is true
  else            none of its case, exit and if edges fired

What no edge leads to any more is skipped. A failure for which an edge fires is handled.

Nodes:

  join      any, all (the default) or a number: how many edges must have fired
  join_timeout, join_losers=cancel
  timeout, retries, retry_delay, retry_backoff, retry_max_delay, retry_on
  wait, wait_until     a time before it starts, or the moment
  approve   a text that a person is asked; approve_fields, approve_timeout,
            approve_default
  env       lines NAME=VALUE, which may hold ${{ EXPR }}
  pool      what it needs of wf server pools: gpu:1

Containers that repeat the nodes in them; without one of these they are groups:

  foreach   a JSON list, lines:COMMAND, or ${{ EXPR }}
  times     a number
  while, until         a test before, or after, each round
  parallel, on_failure=continue or cancel, min_success, stop_when, max_iterations,
  rate_limit=10/1m

Instances have paths: align[3]/trim. Every command that takes NODE takes them.

The graph:

  params    parameters as JSON: type (string, int, float, bool, path, list, json,
            secret), required, default, choices, choices_from, must_exist, help ...; wf params
  on_busy   refuse, queue or cancel, when a run of the same nodes is going

EXPRESSIONS (expr-lang.org) see item, index, iteration, parent, params.NAME,
nodes.NAME.outputs.KEY, .exit_code, .status, .results and .arrivals, env.NAME, run.id, now(),
uuid(); in while and until also previous.NAME: a node in the round before.
A command puts values out by writing KEY=VALUE lines or a JSON object to $WF_OUTPUT; values
reach commands only as variables: wf help environment.

  wf run -p env=prod                    a parameter; on a terminal missing ones are asked for
  wf run --from test --until deploy     a part; what lies before it counts as done
  wf run --skip build --mock test=exit:3 --mock 'score={"value": 0.9}'
  wf approvals; wf approve deploy --set window=14:00; wf reject deploy --comment 'not today'
  wf out build.version                  an output, also inside a command
  wf eval 'nodes.test.exit_code == 0'    what an expression gives, with the data of a run

docs/control-flow.md of the project has all of it, with examples and the functions.`

const exitTopic = `EXIT STATUS

  0    every node that had to run succeeded, or nothing was to do
  1    the run ended with failed nodes, and nothing else
  2    usage: unknown command, flag, node or setting, bad selector
  3    the workfile cannot be used: missing, unreadable, a cycle, an edge without an end
  4    the daemon cannot be started or reached, or was lost; or wf cannot do something else
  5    wf run --approval fail: a node waits for a person, and nobody can answer
  6    the run was stopped by somebody else
  7    wf run: the nodes belong to a run that is going; wf status --exit-code: still running
  124  --timeout
  129  the terminal of wf run went away; the run goes on
  130  stopped by SIGINT (Ctrl-C) of this command
  143  stopped by SIGTERM of this command

wf check ends with 0 or 3, wf server status with 0 or 4. Of commands that run nothing, 1 is the
answer no: wf doctor has found problems, wf kv get no value, wf kv set and del a condition of
theirs not met.`

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
  WF_OUTPUT       file for its outputs: key=value lines, key<<END blocks, or a JSON object
  WF_INPUT        file with these variables and those of env as a JSON object, for commands that
                  name it: for values of more than 128 KiB, which no variable can hold
  WF_PARAM_NAME   value of a parameter        WF_APPROVAL_NAME  value of wf approve --set
  WF_ITEM, WF_INDEX  of an instance of a foreach or times; WF_ITERATION of a while or until

In these names other characters than letters and digits are "_".

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
A .wf.toml can hold a wrapper, which is executed. So it must belong to you or to root, nobody else
may be able to write it, and the same holds for its folder and for a link to it; else nothing runs
and wf says why. trust names folders where this does not matter.

The settings from trust on stand only in config.toml of the user. Those from slots on are the
daemon's, which serves all workfiles; they hold from its next start on: wf server restart.

  # ~/.config/wf/config.toml
  jobs = 4
  grace = "30s"
  interrupt = "ask"`)
	return b.String()
}
