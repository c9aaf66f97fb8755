# Creates the folder work with a program to build, and outputs the target systems.
set -eu
mkdir -p work/dist work/live
rm -f work/dist/* work/tries-* work/looks
cat > work/hello.in <<'END'
#!/bin/sh
echo "hello from @VERSION@ on @TARGET@"
END
echo '{"targets": ["linux", "macos", "windows"]}' > "$WF_OUTPUT"
