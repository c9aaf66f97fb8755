package main

const glossaryTopic = `GLOSSARY

What the words mean that wf uses about workfiles and runs.

  activation  the decision that a node is to run now: everything it waits for is there. A node of
              a loop is activated several times in a run (max_activations bounds how often)
  attempt     one execution of several that retries allows for one activation
  blocked     a node that does not run because something before it failed. wf resume goes on
  container   a node that holds other nodes. With foreach, times, while or until it is a sub-flow
              and runs them many times; else it is a group
  execution   one process: what an activation leads to. Each has an output and an exit code
  fires       an edge fires when its source has ended in the way that the edge asks for (when=...;
              without it: has succeeded). It has then done its part to activate its target
  handle      the short name of a node: its name, or what wf makes of its command
  handled     a failure for which an edge fires, as with when=failure. It is shown, and the run
              can succeed all the same
  held        nothing starts at present, what runs goes on: the disk is full, say, or a runner or
              the daemon has died again and again. wf status and wf why say what holds it
  instance    one pass of a sub-flow, for one item or one round: align[3]
  join        a node with several edges that lead to it, and the rule for how many must have fired
  kept        a node that had succeeded before a resume, and is not executed again
  mark        what an edge bears in the file after it has fired, until its target uses it (to_run)
  mocked      a node whose end was given with --mock or --skip: no command was executed
  pool        units of something that commands share: gpu:1. wf server pools
  retrying    a node that has failed, and waits for its next attempt
  run         what one wf run does, with a number. Its scope are the nodes that it may execute
  runner      the process that starts the commands of a run. It outlives the daemon
  skipped     a node that no way leads to any more: the edges before it went elsewhere
  slot        permission to execute one command; there are as many as processors, or -j
  workfile    the GraphML file: nodes are commands, edges are dependencies`
