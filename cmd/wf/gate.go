package main

import (
	"io"
	"io/fs"
	"os"
)

// The least terminal that progress is redrawn on.
const (
	leastWidth  = 40
	leastHeight = 8
)

// surroundings are what decides how progress is shown.
type surroundings struct {
	stderrTTY, stdinTTY bool
	foreground          bool
	width, height       int
	term, ci            string // of the environment
	pipedOutput         bool   // standard output is a pipe, and node output or events go there
}

// surroundings looks at the streams and the environment. toStdout says that something else than
// progress is printed while the run goes on.
func (e *env) surroundings(t *terminal, toStdout bool) surroundings {
	s := surroundings{term: e.get("TERM"), ci: e.get("CI"), pipedOutput: toStdout && isPipe(e.stdout)}
	if t != nil {
		s.stderrTTY, s.stdinTTY, s.foreground = true, t.in != nil, t.foreground()
		s.width, s.height = t.size()
	}
	return s
}

// isPipe says whether w ends in another program, which may well write to the same terminal.
func isPipe(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&fs.ModeNamedPipe != 0
}

// whyNotInline says why progress cannot be redrawn here, "" when it can. Where somebody has asked
// for it (forced), only what would do harm counts.
func (s surroundings) whyNotInline(forced bool) string {
	switch {
	case !s.stderrTTY:
		return "standard error is no terminal"
	case s.term == "" || s.term == "dumb":
		return "TERM says that the terminal cannot move its cursor"
	case !s.foreground:
		return "wf is not in the foreground of the terminal"
	case s.width < leastWidth || s.height < leastHeight:
		return "the terminal is too small"
	case forced:
		return ""
	case !s.stdinTTY:
		return "standard input is no terminal"
	case s.ci != "":
		return "CI is set"
	case s.pipedOutput:
		return "standard output is read by another program"
	}
	return ""
}
