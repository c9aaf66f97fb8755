package console

import (
	"io"
	"io/fs"
	"os"
)

// The least terminal that progress is redrawn on.
const (
	LeastWidth  = 40
	LeastHeight = 8
)

// Surroundings are what decides how progress is shown.
type surroundings struct {
	stderrTTY, stdinTTY bool
	Foreground          bool
	width, height       int
	Term, ci            string // of the environment
	pipedOutput         bool   // standard output is a pipe, and node output or events go there
}

// Surroundings looks at the streams and the environment. toStdout says that something else than
// progress is printed while the run goes on.
func (c *Console) Surroundings(t *Terminal, toStdout bool) surroundings {
	s := surroundings{Term: c.Get("TERM"), ci: c.Get("CI"), pipedOutput: toStdout && isPipe(c.Stdout)}
	if t != nil {
		s.stderrTTY, s.stdinTTY, s.Foreground = true, t.In != nil, t.Foreground()
		s.width, s.height = t.Size()
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

// WhyNotInline says why progress cannot be redrawn here, "" when it can. Where somebody has asked
// for it (forced), only what would do harm counts.
func (s surroundings) WhyNotInline(forced bool) string {
	switch {
	case !s.stderrTTY:
		return "standard error is no terminal"
	case s.Term == "" || s.Term == "dumb":
		return "TERM says that the terminal cannot move its cursor"
	case !s.Foreground:
		return "wf is not in the foreground of the terminal"
	case s.width < LeastWidth || s.height < LeastHeight:
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
