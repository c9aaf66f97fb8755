#!/bin/sh
# Draws workfiles at three sizes of terminals and as SVG, for docs/gallery: make gallery. The first argument is the
# program, the second a folder with recorded workflows, which are drawn too if it is there.
set -eu
wf=$(realpath "$1")
recorded=$(realpath -m "${2:-none}")
cd "$(dirname "$0")"
WF_RUNTIME_DIR=$(mktemp -d)
WF_STATE_DIR=$(mktemp -d)
export WF_RUNTIME_DIR WF_STATE_DIR LC_ALL=C.UTF-8
trap '"$wf" server stop >/dev/null 2>&1 || :; rm -rf "$WF_RUNTIME_DIR" "$WF_STATE_DIR"' EXIT

# draw FILE NAME: the section of a workfile.
draw() {
	"$wf" graph "$1" --format svg >"$2.svg" 2>/dev/null
	printf '\n## %s\n\n![%s as a picture](%s.svg)\n' "$2" "$2" "$2"
	for size in 80x24 120x35 200x60; do
		printf '\n%s:\n\n```\n' "$size"
		"$wf" graph "$1" --format text --color never --width "${size%x*}" --height "${size#*x}" 2>/dev/null
		echo '```'
	done
}

{
	echo '# Gallery'
	echo
	echo 'Workflows of this project as `wf graph --format text` and `wf graph --format svg` draw them. `make gallery` makes this page. [Recorded workflows](recorded.md) have a page of their own.'
	for path in release/Workfile review/Workfile live-report.graphml backup.graphml words.graphml \
		patterns/wcp-10-arbitrary-cycles.graphml patterns/wcp-16-deferred-choice.graphml \
		patterns/wcp-30-structured-partial-join.graphml patterns/wcp-37-acyclic-synchronizing-merge.graphml; do
		draw "../../examples/$path" "$(basename "${path%/Workfile}" .graphml)"
	done
} >README.md

[ -d "$recorded" ] || exit 0
{
	echo '# Gallery of recorded workflows'
	echo
	echo 'Workflows that WfCommons recorded (makeflow, nextflow, helloworld) and workfiles of Python Workforce, drawn as in [the gallery](README.md). `make gallery RECORDED=FOLDER` makes this page from the workfiles of a folder.'
	for path in nextflow-rnaseq makeflow-bwa-large nextflow-bacass makeflow-blast-small helloworld-forkjoin-10 \
		01806f9347 8a20598079 a6b5d29848; do
		file=$(find "$recorded" -name "$path.graphml" | head -n 1)
		[ -z "$file" ] || draw "$file" "$path"
	done
} >recorded.md
