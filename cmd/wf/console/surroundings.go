package console

import (
	"io"
	"io/fs"
	"os"
)

// The smallest terminal on which progress is redrawn.
const (
	LeastWidth  = 40
	LeastHeight = 8
)

// surroundings decide how progress is shown.
type surroundings struct {
	stderrTTY, stdinTTY bool
	Foreground          bool
	width, height       int
	Term, ci            string // of the environment
	pipedOutput         bool   // node output or events go to a pipe
}

// Surroundings examines the streams and the environment. toStdout says that node output or events are printed during the
// run.
func (c *Console) Surroundings(t *Terminal, toStdout bool) surroundings {
	s := surroundings{Term: c.Get("TERM"), ci: c.Get("CI"), pipedOutput: toStdout && isPipe(c.Stdout)}
	if t != nil {
		s.stderrTTY, s.stdinTTY, s.Foreground = true, t.In != nil, t.Foreground()
		s.width, s.height = t.Size()
	}
	return s
}

// isPipe says whether w is a pipe to another program, which may write to the same terminal.
func isPipe(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&fs.ModeNamedPipe != 0
}

// WhyNotInline says why progress cannot be redrawn here, or returns "" if it can. If the user asked for it (forced), it
// ignores the reasons that do no harm.
func (s surroundings) WhyNotInline(forced bool) string {
	switch {
	case !s.stderrTTY:
		return "standard error is not a terminal"
	case s.Term == "" || s.Term == "dumb":
		return "TERM says that the terminal cannot move its cursor"
	case !s.Foreground:
		return "wf is not in the foreground of the terminal"
	case s.width < LeastWidth || s.height < LeastHeight:
		return "the terminal is too small"
	case forced:
		return ""
	case !s.stdinTTY:
		return "standard input is not a terminal"
	case s.ci != "":
		return "CI is set"
	case s.pipedOutput:
		return "standard output is read by another program"
	}
	return ""
}
