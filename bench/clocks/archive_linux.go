package main

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
)

// Modes of the archive: see cpio(5) and inode(7).
const (
	modeFile    = 0o100755
	modeFolder  = 0o040755
	modeConsole = 0o020600 // a character device
)

// archive returns an archive with files, as the kernel unpacks it at its start (initramfs, format "newc").
func archive(files map[string][]byte) []byte {
	var b bytes.Buffer
	number := 0
	add := func(name string, mode int, data []byte, major, minor int) {
		number++
		fmt.Fprintf(&b, "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x", number, mode, 0, 0, 1, 0, len(data), 0, 0, major, minor, len(name)+1, 0)
		b.WriteString(name + "\x00")
		b.Write(make([]byte, -b.Len()&3))
		b.Write(data)
		b.Write(make([]byte, -b.Len()&3))
	}
	for _, name := range []string{"bin", "dev", "proc", "sys", "tmp"} {
		add(name, modeFolder, nil, 0, 0)
	}
	add("dev/console", modeConsole, nil, 5, 1)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		add(path.Clean(name), modeFile, files[name], 0, 0)
	}
	add("TRAILER!!!", 0, nil, 0, 0)
	return b.Bytes()
}
