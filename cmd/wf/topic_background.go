package main

const backgroundTopic = `BACKGROUND PROCESSES

A command has ended when its own process has ended. Processes that it started in the background,
also with setsid or nohup, continue until the end of the run, so that later nodes can use a server
that an earlier node has started. At the end of the run wf ends the remaining processes and lists
them: at the end of wf run, in wf runs show, in wf why NODE, and in "notes" of run_complete.

To keep a process beyond the run, start it by a service that is not part of the run:

  systemd-run --user --collect CMD     a unit of systemd: systemctl --user list-units, stop
  docker run -d IMAGE CMD              a container: docker ps, docker stop
  at now <<< 'CMD'                     the daemon of at

screen -d -m and tmux new -d keep it only if their server was started outside of the run.

If the workflow needs a server as long as it runs, make the server a node of its own without edges
from it. The run continues until that node ends; let the last of the other nodes end it, for
instance with wf stop --node server.`
