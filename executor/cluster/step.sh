#!/bin/sh
# The script of a step of an allocation: step.sh FOLDER NAME STEP LINE SPAN TASK. It executes the task, and after that, one
# after the other, tasks of the file pool/NAME/list that have not started, from LINE on, for at most SPAN seconds. Each gets a
# job.sh of its own. A step ends with the first task that fails, is stopped, loses a process because memory runs out, or leaves
# processes behind: so what the batch system says about the end of the step is about this task, which pool/NAME/at.STEP names.
# Nothing but a POSIX shell is needed.
umask 077
cd "$1" || exit 97
folder=$PWD pool=pool/$2 at=pool/$2/at.$3 line=$4 span=$5 task=$6

# TERM comes to all processes of the step before its time is up, and when its task is stopped. After the end of a task it comes
# from job.sh, for what the task has left behind, and means nothing here.
closing= signalled=
trap 'signalled=1; [ -f "news/e.$task" ] || closing=1' TERM

# now sets time to the seconds since some moment.
now() {
	if [ -r /proc/uptime ]; then
		read -r time rest < /proc/uptime
		time=${time%.*}
	else
		time=$(date +%s)
	fi
}

# The control group of this step, if the batch system makes one; "" = none. Version 1 has one for each kind of resource.
group=
while IFS=: read -r _ kinds path; do
	case $kinds:$path in
	*:*/step_*) ;;
	*) continue ;;
	esac
	case ,$kinds, in
	,,) group=/sys/fs/cgroup$path ;;
	*,memory,*) group=/sys/fs/cgroup/memory$path ;;
	esac
done 2> /dev/null < /proc/self/cgroup
[ -r "$group/cgroup.procs" ] || group=

# count sets state to the number of processes of the step, and how many of them were killed because memory ran out.
count() {
	state=0
	[ -n "$group" ] || return
	while read -r _; do state=$((state + 1)); done < "$group/cgroup.procs"
	for file in memory.events memory.oom_control; do
		[ ! -r "$group/$file" ] || while read -r key n; do
			[ "$key" != oom_kill ] || state="$state $n"
		done < "$group/$file"
	done
}

# execute runs a task. It ends the step if no other task may follow.
execute() {
	printf '%s\n' "$1" > "$at"
	sh job.sh "$folder" - "$1" < /dev/null &
	pid=$! signalled=
	wait "$pid"
	code=$?
	while [ -n "$signalled" ]; do # the signal ended the wait, or came after it
		signalled=
		wait "$pid"
		rest=$?
		[ "$rest" = 127 ] || code=$rest # 127: its end was known before
	done
	[ "$code" != 98 ] || return 0 # it was started elsewhere, or stopped before it started
	[ "$code" = 0 ] || exit "$code"
	# Either this file says that the step has left the task, or a signal to the step is for this task.
	set -C
	{ echo left > "stops/$1"; } 2> /dev/null || exit 99
	set +C
	count
	[ "$state" = "$alone" ] || exit 0
}

now
end=$((time + span))
count
alone=$state
execute "$task"
quiet=0
while [ "$quiet" -lt 5 ]; do
	names=$(tail -n "+$line" "$pool/list" | head -n 100 && echo .) || exit 0
	for task in $names; do
		case $task in
		.) continue ;; # the end
		*.) exit 0 ;;  # a line that is still being written
		esac
		quiet=0 line=$((line + 1))
		[ ! -e "starts/$task" ] || continue
		now
		[ -z "$closing" ] && [ ! -e "$pool/closed" ] && [ "$time" -lt "$end" ] || exit 0
		execute "$task"
	done
	# For a second it waits for more, which costs less than another step.
	[ "$names" = . ] || continue
	quiet=$((quiet + 1))
	sleep 0.2 2> /dev/null || sleep 1
	[ -z "$closing" ] && [ ! -e "$pool/closed" ] || exit 0
done
