package main

import "golang.org/x/sys/unix"

// The requests that read a terminal's modes, and that set them at once.
const (
	getTermios = unix.TCGETS
	setTermios = unix.TCSETS
)
