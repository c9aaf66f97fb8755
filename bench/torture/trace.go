package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A trace contains the lines that the nodes wrote, by node.
type trace map[string]*tracks

// tracks are the pids of the processes that started and of those that ended.
type tracks struct{ begun, ended []int }

// of returns the tracks of a node, empty ones if it left none.
func (t trace) of(node string) tracks {
	if found := t[node]; found != nil {
		return *found
	}
	return tracks{}
}

// readTrace reads the trace of the workflow in dir; a missing one is empty.
func readTrace(dir string) (trace, error) {
	text, err := os.ReadFile(filepath.Join(dir, "trace"))
	if errors.Is(err, fs.ErrNotExist) {
		return trace{}, nil
	}
	if err != nil {
		return nil, err
	}
	return parseTrace(string(text))
}

func parseTrace(text string) (trace, error) {
	t := trace{}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) != 4 || !strings.HasSuffix(line, "\n") {
			return nil, fmt.Errorf("trace: %q is no whole line", line)
		}
		pid, err := strconv.Atoi(fields[3])
		if err != nil {
			return nil, fmt.Errorf("trace: %w", err)
		}
		if t[fields[1]] == nil {
			t[fields[1]] = &tracks{}
		}
		switch tracks := t[fields[1]]; fields[0] {
		case "begin":
			tracks.begun = append(tracks.begun, pid)
		case "end":
			tracks.ended = append(tracks.ended, pid)
		default:
			return nil, fmt.Errorf("trace: %q is neither begin nor end", line)
		}
	}
	return t, nil
}
