# The end of the script of a batch if the batch system sends other signals before it ends a job: the task gets TERM instead, or KILL
# if the session says so. $@ is sh job.sh FOLDER BATCH. The batch system sends signals to all processes of a job, so all but this
# shell ignore them.
wf_stop=$3/stops/$(sed -n "$((WF_TASK_INDEX + 1))p" "$3/b/$4")
stopped= target=0
[ "$(ps -o pgid= -p $$ 2> /dev/null | tr -d ' ')" = $$ ] || target= # signals to 0 would reach others than this job
killed() { # without another process, which a signal would end
	how=
	read -r how 2> /dev/null < "$wf_stop"
	[ "$how" = KILL ]
}
stop() { # Grid Engine signals this shell twice
	[ -z "$stopped" ] || return
	stopped=1
	killed || { kill -TERM "${target:-$pid}"; kill -CONT "${target:-$pid}"; }
}
# job.sh reports the end of its children, so it does not get KILL itself.
end() {
	children=$(ps -e -o ppid= -o pid= 2> /dev/null | awk -v parent="$pid" '$1 == parent { print $2 }')
	kill -KILL ${children:-"$pid"} 2> /dev/null
}
trap : TERM
trap stop SIGNALS
(trap '' SIGNALS; trap - TERM; exec "$@") < /dev/null &
pid=$!
while kill -0 "$pid" 2> /dev/null; do
	if [ -z "$stopped" ]; then
		wait "$pid" # until the end or a signal
	else
		! killed || end
		sleep 1
	fi
done
trap '' TERM SIGNALS
[ -z "$target" ] || kill -TERM 0 # what the command has left behind
[ -z "$target" ] || [ -z "$stopped" ] || kill -KILL 0
