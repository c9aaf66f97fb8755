package console

import (
	"os"
	"strings"
	"testing"
)

// TestWhyNotInline checks the text of each reason.
func TestWhyNotInline(t *testing.T) {
	good := surroundings{stderrTTY: true, stdinTTY: true, Foreground: true, width: 80, height: 24, Term: "xterm"}
	for _, c := range []struct {
		reason string
		spoil  func(*surroundings)
		forced string // the reason that --progress inline does not override
	}{
		{"", func(*surroundings) {}, ""},
		{"", func(s *surroundings) { s.width, s.height = LeastWidth, LeastHeight }, ""},
		{"standard error", func(s *surroundings) { s.stderrTTY = false }, "standard error"},
		{"TERM", func(s *surroundings) { s.Term = "" }, "TERM"},
		{"TERM", func(s *surroundings) { s.Term = "dumb" }, "TERM"},
		{"foreground", func(s *surroundings) { s.Foreground = false }, "foreground"},
		{"small", func(s *surroundings) { s.width = LeastWidth - 1 }, "small"},
		{"small", func(s *surroundings) { s.height = LeastHeight - 1 }, "small"},
		{"standard input", func(s *surroundings) { s.stdinTTY = false }, ""},
		{"CI", func(s *surroundings) { s.ci = "1" }, ""},
		{"another program", func(s *surroundings) { s.pipedOutput = true }, ""},
	} {
		s := good
		c.spoil(&s)
		for _, try := range []struct {
			forced bool
			want   string
		}{{false, c.reason}, {true, c.forced}} {
			if got := s.WhyNotInline(try.forced); (got == "") != (try.want == "") || !strings.Contains(got, try.want) {
				t.Errorf("%+v, forced %v: %q, want %q", s, try.forced, got, try.want)
			}
		}
	}
}

func TestIsPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	file, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if !isPipe(w) || isPipe(file) || isPipe(&strings.Builder{}) {
		t.Errorf("pipe %v, file %v, builder %v", isPipe(w), isPipe(file), isPipe(&strings.Builder{}))
	}
}
