#!/bin/sh
# Draws workfiles of the project at three sizes of terminals and as SVG, for docs/gallery: make gallery.
# The first argument is the program.
set -eu
wf=$(realpath "$1")
cd "$(dirname "$0")"
WF_RUNTIME_DIR=$(mktemp -d)
WF_STATE_DIR=$(mktemp -d)
export WF_RUNTIME_DIR WF_STATE_DIR LC_ALL=C.UTF-8
trap '"$wf" server stop >/dev/null 2>&1 || :; rm -rf "$WF_RUNTIME_DIR" "$WF_STATE_DIR"' EXIT

{
	echo '# Gallery'
	echo
	echo 'Workflows of this project as `wf graph --format text` and `wf graph --format svg` draw them. `make gallery` makes this page.'
	for path in release/Workfile review/Workfile live-report.graphml backup.graphml words.graphml \
		patterns/wcp-10-arbitrary-cycles.graphml patterns/wcp-16-deferred-choice.graphml \
		patterns/wcp-30-structured-partial-join.graphml patterns/wcp-37-acyclic-synchronizing-merge.graphml; do
		name=$(basename "${path%/Workfile}" .graphml)
		"$wf" graph "../../examples/$path" --format svg >"$name.svg" 2>/dev/null
		printf '\n## %s\n\n![%s as a picture](%s.svg)\n' "$name" "$name" "$name"
		for size in 80x24 120x35 200x60; do
			printf '\n%s:\n\n```\n' "$size"
			"$wf" graph "../../examples/$path" --format text --color never --width "${size%x*}" --height "${size#*x}" 2>/dev/null
			echo '```'
		done
	done
} >README.md
