# Checks whether the service is healthy: it is after SLOW checks.
set -eu
echo look >> work/looks
if [ "$(wc -l < work/looks)" -gt "$SLOW" ]; then
	echo '{"healthy": true}' > "$WF_OUTPUT"
else
	echo '{"healthy": false}' > "$WF_OUTPUT"
fi
