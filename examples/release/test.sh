# Runs the built program and checks its output. The first FLAKY attempts exit with 75, like tests that
# sometimes fail for reasons outside the program.
set -eu
tries=work/tries-$WF_ITEM
echo try >> "$tries"
if [ "$(wc -l < "$tries")" -le "$FLAKY" ]; then
	echo "the network was away" >&2
	exit 75
fi
sh "$1" | grep "on $WF_ITEM\$"
