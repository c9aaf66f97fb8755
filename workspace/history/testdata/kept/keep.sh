#!/bin/sh
# Makes the kept runs of a version: keep.sh PATH-OF-WF FOLDER, in an empty folder that is not a
# checkout; the path of that folder gets into the runs. Never change those that are there: they are
# what released versions have written. Then: go test ./workspace/history ./executor -run Kept -update
set -eu
wf=$1 out=$2 here=$PWD
export WF_RUNTIME_DIR=$here/r WF_STATE_DIR=$here/s WF_SLOTS=4
mkdir -m 700 r s
mkdir -p "$out"

node() { printf '<node id="%s"><data key="l">%s</data></node>' "$1" "$2"; }
edge() { printf '<edge source="%s" target="%s"/>' "$1" "$2"; }
workfile() {
	printf '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">%s<graph edgedefault="directed">%s</graph></graphml>' \
		'<key id="l" for="node" attr.name="label" attr.type="string"/>' "$1" > Workfile
}

# keep NUMBER NAME: copies a run without its outputs and without the name of this machine.
keep() {
	from=$(echo s/workspaces/*/runs/"$1")
	mkdir -p "$out/$2"
	for f in run.json journal record result.json workfile; do
		test ! -e "$from/$f" || cp "$from/$f" "$out/$2/"
	done
	chmod -R u+w "$out/$2"
	sed -i 's/"host": "[^"]*"/"host": "host.example"/' "$out/$2/run.json"
}

workfile "$(node a 'echo one'; node b 'echo two &gt;&amp;2'; node c true; edge a b; edge a c)"
"$wf" run -q
keep 1 succeeded

workfile "$(node a true; node b 'echo no; exit 3'; node c true; node d 'kill -9 $$'; edge a b; edge b c; edge a d)"
"$wf" run --fresh -q || true
keep 2 failed
sed -i 's/exit 3/exit 0/' Workfile
"$wf" resume -q || true
keep 3 resumed

workfile "$(node a 'sleep 100'; node b true; edge a b)"
"$wf" run --fresh -q -d
sleep 1
"$wf" stop --now
keep 4 stopped

# Daemon, runner and command are killed one after the other; then the run is taken up.
"$wf" run --fresh -q -d
sleep 1
keep 5 going
record=$(echo s/workspaces/*/runs/5/record)
pid() { sed -n "s/.*\"k\":\"$1\".*\"p\":\([0-9]*\).*/\1/p" "$record"; }
daemon=$(sed -n 's/.*"pid": *\([0-9]*\).*/\1/p' r/daemon.json)
kill -9 "$daemon" "$(pid runner)"
kill -9 "$(pid start)"
"$wf" attach 5 -q || true
keep 5 orphaned

# The machine went down in the middle of the last line.
cp -r "$out/succeeded" "$out/torn"
rm -f "$out/torn/result.json"
for f in journal record; do
	truncate -s $(($(stat -c %s "$out/torn/$f") - 9)) "$out/torn/$f"
done
"$wf" server stop
