package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"wf/cmd/wf/exit"
)

// maxStacks limits the stacks of all goroutines in a report, in bytes.
const maxStacks = 4 << 20

// reportCrash reports a bug and ends the process. An active run continues in the daemon.
func (e *env) reportCrash(bug any, stack []byte) {
	text := fmt.Sprint(bug)
	f := &exit.Failure{Status: exit.Daemon, What: "wf has crashed: panic: " + text,
		Why: "Active runs continue. This is a bug: please report it.", Fix: "wf status"}
	path, err := e.writeCrash(text, stack)
	if err != nil {
		f.Why += "\nThe report could not be written: " + exit.Obstacle(err) + "\n" + strings.ReplaceAll(string(stack), "\t", "  ")
	} else {
		f.Where = "report: " + path
	}
	printError(e, f)
	os.Exit(exit.Daemon)
}

// writeCrash writes the report to the state folder. It leaves out arguments and environment, which may contain
// secrets.
func (e *env) writeCrash(text string, stack []byte) (path string, err error) {
	dirs, err := e.folders()
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dirs.State, time.Now().UTC().Format("crash-20060102-150405-*.txt")) // 0600
	if err != nil {
		return "", err
	}
	all := make([]byte, maxStacks)
	all = all[:runtime.Stack(all, true)]
	_, err = fmt.Fprintf(f, "wf %s, %s, %s/%s\n%s\n\n%s\n\nall goroutines:\n\n%s\n",
		version(), runtime.Version(), runtime.GOOS, runtime.GOARCH, text, stack, all)
	return filepath.Clean(f.Name()), errors.Join(err, f.Close())
}
