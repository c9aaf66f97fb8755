# Installs the built program, and keeps the previous version.
set -eu
rm -rf work/before
cp -R work/live work/before
rm -f work/live/*
cp work/dist/hello-"$VERSION"-* work/live/
if [ "$BROKEN" = true ]; then
	echo "the disk of the server is full" >&2
	exit 1
fi
echo "$VERSION" > work/live/version
