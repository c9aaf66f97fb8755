package main

const backgroundTopic = `BACKGROUND PROCESSES

A command has ended when its own process has. What it has started in the background goes on, also
under setsid or nohup, as long as the run does: nodes can use a server that one before them has
started. At the end of the run wf ends whatever is left, so that runs leave nothing behind, and
names it: wf run at its end, wf runs show, wf why NODE, "notes" of the event run_complete.

To keep a process beyond the run, let a service start it that is no part of the run:

  systemd-run --user --collect CMD     a unit of systemd: systemctl --user list-units, stop
  docker run -d IMAGE CMD              a container: docker ps, docker stop
  at now <<< 'CMD'                     the daemon of at

screen -d -m and tmux new -d keep it only where their server has been started outside of the run.

A server that the workflow needs as long as it runs is best a node of its own, without edges from
it: the run goes on until it ends. The last of the others ends it, say with wf stop --node server.`
