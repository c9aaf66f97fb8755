# Runs what was built and looks at what it says. The first FLAKY tries end with 75, as tests do that
# depend on more than the program.
set -eu
tries=work/tries-$WF_ITEM
echo try >> "$tries"
if [ "$(wc -l < "$tries")" -le "$FLAKY" ]; then
	echo "the network was away" >&2
	exit 75
fi
sh "$1" | grep "on $WF_ITEM\$"
