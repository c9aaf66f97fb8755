//go:build !linux

// Command clocks needs Linux: its virtual machine executes it as the first process.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "clocks: this needs Linux, and a wf that is built for it")
	os.Exit(1)
}
