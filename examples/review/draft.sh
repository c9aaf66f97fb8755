# Writes the next draft about TOPIC, with a paragraph for each request so far.
set -eu
mkdir -p work
if [ "$WF_EXECUTION" = 1 ]; then
	: > work/wishes
else
	echo "$FEEDBACK" >> work/wishes
fi
{
	echo "# $TOPIC"
	echo "There is much to say about it."
	while read -r wish; do
		echo "Let us not forget: $wish."
	done < work/wishes
} > work/draft.md
echo "{\"number\": $WF_EXECUTION, \"lines\": $(wc -l < work/draft.md)}" > "$WF_OUTPUT"
