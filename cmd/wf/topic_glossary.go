package main

const glossaryTopic = `GLOSSARY

The words of wf about workfiles and runs.

  activation  the decision that a node shall run now, because everything that it waits for has
              happened. A node in a loop is activated several times (limit: max_activations)
  attempt     one of the executions that retries allows for an activation
  blocked     a node that does not run because a node before it failed; wf resume continues there
  container   a node that contains other nodes. With foreach, times, while or until it is a
              sub-flow, which repeats its nodes; otherwise it is a group
  execution   one process that runs the command of a node. It has an output and an exit code
  fires       an edge fires when its source ends as the edge demands: with when=CONDITION in that
              way, otherwise with success
  handle      the short name of a node: its name, or one that wf derives from its command
  handled     a failure for which an edge fires, for instance with when=failure. It is shown, and
              the run can still succeed
  held        a run that starts nothing at present, for instance because the disk is full or its
              runner crashes repeatedly; wf status and wf why show the reason
  instance    one pass of a sub-flow, for one item or one round: align[3]
  join        a node with several incoming edges, and the rule for how many of them must fire
  kept        a node that succeeded before a resume and is not executed again
  mark        the state of an edge in the file after it has fired, until its target runs (to_run)
  mocked      a node that got its result from --mock or --skip; no command was executed
  pool        units of a resource that commands share: gpu:1. See wf server pools
  quarantine  the state of a workfile whose runs have crashed several daemons: its runs are not
              recovered. See wf server retry
  retrying    a node that has failed and waits for its next attempt
  run         the work of one wf run, with a number. Its scope is the nodes that it may execute
  runner      the process that starts the commands of a run. It outlives the daemon
  skipped     a node that cannot run any more, because no edge to it can fire
  slot        permission to execute one command; there are as many as processors, or -j
  workfile    the GraphML file: nodes are commands, edges are dependencies`
