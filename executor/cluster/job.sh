#!/bin/sh
# What the batch system starts: job.sh FOLDER BATCH [TASK]. It runs the task, or the one of the batch that the index names, and
# leaves its start and its end as files. Nothing but a POSIX shell is needed, and few processes are started. Its variables begin
# with wf_, so that none of them is one of the user. It exits with the status of the command, or with 1 for every failure of TASK,
# so that step.sh can tell them from the statuses 97 and 98 of this script.
umask 077
cd "$1" || exit 97
wf_folder=$PWD
. ./conf || exit 97
wf_name=$3 # in a step
if [ -z "$wf_name" ]; then
	eval "wf_i=\${$wf_index:-0}"
	{ while [ "$wf_i" -ge 0 ] && IFS= read -r wf_name; do wf_i=$((wf_i - 1)); done; } < "b/$2"
	[ -n "$wf_name" ] && [ "$wf_i" -lt 0 ] || exit 97
fi
wf_task=$wf_folder/t/$wf_name
[ ! -r /proc/sys/kernel/hostname ] || IFS= read -r wf_host < /proc/sys/kernel/hostname
[ -n "$wf_host" ] || wf_host=$(uname -n)

set -C # a file that exists is not written
if ! { printf '%s\n' "$wf_host $$" > "starts/$wf_name"; } 2> /dev/null; then
	# This execution was started before, or stopped. It may start again only if the batch system does so by itself with a node
	# that is idempotent, and if it has not ended.
	wf_i=0
	[ -z "$wf_restarts" ] || eval "wf_i=\${$wf_restarts:-0}"
	[ "$wf_i" -gt 0 ] && [ ! -f "news/e.$wf_name" ] && . "$wf_task/vars" && [ -n "$wf_idempotent" ] || exit 98
	read -r wf_i < "starts/$wf_name" && [ "$wf_i" != stopped ] || exit 98
fi
set +C

# news KIND TEXT reports something about the task. A line without the dot at its end is not complete.
news() { printf '%s\n' "$2 ." > "$wf_folder/news/$1.$wf_name"; }

# The time is asked for once: the seconds since the boot tell later times, to the hundredth.
wf_now=$(date +%s)
wf_up=
[ ! -r /proc/uptime ] || read -r wf_up wf_rest < /proc/uptime
later() {
	if [ -z "$wf_up" ]; then
		wf_then=$(date +%s)
		return
	fi
	read -r wf_then wf_rest < /proc/uptime
	wf_then=$((${wf_then%.*}${wf_then#*.} - ${wf_up%.*}${wf_up#*.}))
	wf_rest=0$((wf_then % 100))
	wf_then=$((wf_now + wf_then / 100)).${wf_rest#"${wf_rest%??}"}
}

. "$wf_task/vars" || exit 97
if ! cd "$wf_cwd" 2> /dev/null; then
	news f "$wf_now $wf_host has no folder $wf_cwd: the working directory must be on a file system that all machines of the cluster share"
	exit
fi
case $wf_shell in
*/*) [ -x "$wf_shell" ] && [ ! -d "$wf_shell" ] ;;
*) (. "$wf_folder/env" && wf_vars && command -v "$wf_shell") > /dev/null 2>&1 ;;
esac || { news f "$wf_now $wf_noshell" && exit; }
[ -n "$3" ] && eval "wf_step=\"$wf_step $wf_machine\"" || wf_step=
news s "$wf_now $$ $wf_host $wf_step"

# killgroup sends a signal to this shell and all processes that it has started, as far as they are in its process group. In a step
# that is the group of step.sh.
wf_group=$$
[ -z "$3" ] || wf_group=$PPID
killgroup() { read -r wf_a wf_a wf_a wf_a wf_rest wf_a < "/proc/$$/stat" && [ "$wf_rest" = "$wf_group" ] && kill -s "$1" 0; } 2> /dev/null

# TERM comes before the time is up, or from somebody else, to this shell alone or to all processes; the command gets it. If it
# comes from wf, there is a file. It says whether all processes got TERM, or whether this shell is to kill them.
wf_terms=0 wf_signalled= wf_pid=
term() {
	wf_terms=1 wf_signalled=1 wf_how=
	[ ! -f "$wf_folder/stops/$wf_name" ] || read -r wf_how < "$wf_folder/stops/$wf_name"
	case $wf_how in
	KILL) killgroup KILL || kill -KILL "$wf_pid" ;;
	'') kill -TERM "$wf_pid" ;;
	esac 2> /dev/null
}
trap term TERM
wf_out=$wf_task/out wf_err=$wf_task/err
[ -z "$wf_merge" ] || wf_err=$wf_out
(
	trap - TERM
	exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
	umask "$wf_umask"
	. "$wf_folder/env" && wf_vars || exit 97
	[ "$wf_host" != "$wf_here" ] || unset WF_DAEMON_HOST # the daemon can be asked here
	wf_run
) >> "$wf_out" 2>> "$wf_err" < /dev/null &
wf_pid=$!
wait "$wf_pid"
wf_code=$?
while [ -n "$wf_signalled" ]; do # the signal ended the wait, or came after it
	wf_signalled=
	wait "$wf_pid"
	wf_rest=$?
	[ "$wf_rest" = 127 ] || wf_code=$wf_rest # 127: its end was known before
done
trap '' TERM # it must not end the programs that this shell needs for the report
later
wf_errsize=0
size() { [ ! -s "$1" ] && wf_size=0 || wf_size=$(($(wc -c < "$1"))); }
if [ -z "$wf_merge" ]; then
	size "$wf_err"
	wf_errsize=$wf_size
fi
size "$wf_task/values"
wf_values=$wf_size
size "$wf_out"
news e "$wf_then $wf_code $wf_size $wf_errsize $wf_values $wf_terms"

# What the command has left behind ends here, also where the batch system does not find it.
trap '' TERM
[ ! -f "$wf_folder/stops/$wf_name" ] || killgroup KILL
killgroup TERM
[ -z "$3" ] || [ "$wf_code" = 0 ] || exit 1
exit "$wf_code"
