package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"wf/cmd/wf/settings"
	"wf/tui/plain"
)

// fileProtocol is the file in the state folder with the messages between clients and the daemon. A file larger than
// protocolBytes is renamed and replaced.
const (
	fileProtocol  = "client.log"
	protocolBytes = 10 << 20
)

// setVerbose sets Verbose by -v, and at the second time traced.
func (o *showOptions) setVerbose(text string) error {
	on, err := strconv.ParseBool(text)
	if err != nil {
		return errors.New("must be true or false")
	}
	o.Verbose, o.traced = on, on && o.Verbose
	return nil
}

// logLevel returns the level that WF_LOG asks for.
func (e *env) logLevel() slog.Level {
	if e.Get("WF_LOG") == "debug" {
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// protocol returns the logger for messages to and from the daemon, or nil without -vv and WF_LOG=debug. The log contains
// neither environments nor outputs. The file stays open until the command ends.
func (e *env) protocol(dirs settings.Folders) *slog.Logger {
	if !e.traced && e.logLevel() != slog.LevelDebug {
		return nil
	}
	path := filepath.Join(dirs.State, fileProtocol)
	f, err := openProtocol(path)
	if err != nil {
		fmt.Fprintf(e.Stderr, "note: messages to and from the daemon are not logged: %s\n", plain.Line(err.Error()))
		return nil
	}
	if e.traced && e.notes {
		fmt.Fprintf(e.Stderr, "note: messages to and from the daemon are logged to %s\n", plain.Line(path))
	}
	return slog.New(slog.NewTextHandler(f, &slog.HandlerOptions{Level: slog.LevelDebug})).With("pid", os.Getpid())
}

func openProtocol(path string) (*os.File, error) {
	if info, err := os.Lstat(path); err == nil && info.Size() > protocolBytes {
		if err := os.Rename(path, path+".1"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
}
