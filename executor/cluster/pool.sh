#!/bin/sh
# The script of an allocation that is held for many tasks: pool.sh FOLDER NAME WIDTH IDLE LIFE SPAN STEP... It starts the tasks
# whose names are appended to the file pool/NAME/list, in steps that it starts with the command STEP, at most WIDTH at once. A
# step goes on with other tasks of the list for SPAN seconds, see step.sh. The script ends when it had nothing to do for IDLE
# seconds. LIFE seconds after its start it takes no more tasks, so that the last ones can end before the batch system ends the
# allocation. Nothing but a POSIX shell is needed.
umask 077
cd "$1" || exit 97
. ./conf || exit 97
folder=$PWD name=$2 width=$3 idle=$4 life=$5 span=$6
shift 6
pool=pool/$name
[ -f "$pool/list" ] && : >> "$pool/ends" || exit 97

now() { date +%s; }

# news FILE TEXT. A line without the dot at its end is not complete.
news() { printf '%s\n' "$2 ." > "news/$1"; }

[ -z "$SLURM_EXPORT_ENV" ] || export SLURM_EXPORT_ENV=ALL # otherwise steps would get no variables

# A place is a line in a pipe. A step takes one and puts it back.
mkfifo "$pool/places" && exec 3<> "$pool/places" && rm "$pool/places" || exit 97
i=0
while [ "$i" -lt "$width" ]; do
	echo >&3
	i=$((i + 1))
done

# step TASK SPAN STEP...: executes a task, and others after it. What the batch system says about the step explains the failure of
# its last task, and is all that is known if this task leaves no result.
step() {
	task=$1 span=$2 at=$pool/at.$begun
	shift 2
	said=$("$@" sh "$folder/step.sh" "$folder" "$name" "$begun" "$((lines + 1))" "$span" "$task" 2>&1 > /dev/null < /dev/null)
	code=$?
	if [ "$code" != 0 ]; then
		[ ! -f "$at" ] || read -r task < "$at"
		[ -z "$task" ] || news "x.$task" "$(now) $code $begun $name $(printf %s "$said" | tr '\n' ' ' | tail -c 500)"
	fi
	rm -f "$at"
	echo >> "$pool/ends"
	echo >&3
}

closing=
trap 'closing=1' TERM
begin=$(now)
eval "machine=\"$wf_machine\""
news "p.$name" "$begin $(uname -n) $machine"
exec 4< "$pool/list"
part= lines=0 begun=0 quiet=$begin
while [ -z "$closing" ] && [ ! -e "$pool/closed" ]; do
	if IFS= read -r line <&4; then
		task=$part$line part= lines=$((lines + 1))
		[ ! -e "starts/$task" ] || continue
		read -r _ <&3
		if [ -e "starts/$task" ]; then # a step has taken it meanwhile
			echo >&3
			continue
		fi
		time=$(now)
		left=$((begin + life - time))
		if [ -n "$closing" ] || [ -e "$pool/closed" ] || [ "$left" -le 0 ]; then
			break # this task has not started: another allocation gets it
		fi
		begun=$((begun + 1)) quiet=$time
		step "$task" "$((left < span ? left : span))" "$@" &
		continue
	fi
	part=$part$line # a line that is still being written
	time=$(now)
	ends=$(($(wc -l < "$pool/ends")))
	if [ "$ends" -lt "$begun" ]; then
		quiet=$time
	elif [ $((time - quiet)) -ge "$idle" ]; then
		break
	fi
	[ $((time - begin)) -lt "$life" ] || break
	sleep 0.2 2> /dev/null || sleep 1
done
: > "$pool/closed"
trap '' TERM
wait
