package secrets

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"wf/executor"
)

// out is an output in dir that a test writes.
type out struct {
	t   testing.TB
	dir string
	r   executor.Range
}

func newOut(t testing.TB, dir, name string) *out {
	return &out{t, dir, executor.Range{File: "out/" + name, End: -1}}
}

func (o *out) write(text string) {
	o.t.Helper()
	path := pathOf(o.dir, o.r)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		o.t.Fatal(err)
	}
	if err := appendTo(path, text); err != nil {
		o.t.Fatal(err)
	}
}

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// read reads the output from a position to its present end.
func (o *out) read(m *Masks, from int64) string {
	o.t.Helper()
	begin := m.Before(o.r, from)
	f, err := OpenRaw(o.dir, o.r)
	if err != nil {
		o.t.Fatal(err)
	}
	if _, err := f.Seek(begin, io.SeekStart); err != nil {
		o.t.Fatal(err)
	}
	s := m.Stream(f, View{Skip: from - begin, Grows: o.r.End < 0})
	defer s.Close()
	text, err := io.ReadAll(s)
	if err != nil {
		o.t.Fatal(err)
	}
	return string(text)
}

func begin(t testing.TB, table *Table, dir string, values ...string) *Masks {
	t.Helper()
	if err := table.Begin(dir, values); err != nil {
		t.Fatal(err)
	}
	return table.Live(dir)
}

// TestAnnounced: a value is hidden in every output of the run as soon as its line has ended, also before anybody knows it.
func TestAnnounced(t *testing.T) {
	var table Table
	dir := t.TempDir()
	m := begin(t, &table, dir, "of the environment")
	a, b := newOut(t, dir, "s1.out"), newOut(t, dir, "s2.out")
	m.Started(dir, executor.ID{Node: 1, Execution: 1}, a.r, executor.Range{})
	m.Started(dir, executor.ID{Node: 2, Execution: 1}, b.r, executor.Range{})
	a.write("first\n::add-mask::")
	if got := a.read(m, 0); got != "first\n" {
		t.Errorf("a line that announces and has no value yet: %q", got)
	}
	a.write("announced by")
	if got := a.read(m, 0); got != "first\n" {
		t.Errorf("a part of the value: %q", got)
	}
	a.write(" a\nand announced by a\n")
	b.write("announced by a, of the environment\n")
	if got := b.read(m, 0); got != "***, ***\n" {
		t.Errorf("another output: %q", got)
	}
	if got := a.read(m, 3); got != "st\n::add-mask::***\nand ***\n" {
		t.Errorf("the output itself: %q", got)
	}
	text, before, err := Tail(m, dir, a.r, 10)
	if err != nil || string(text) != "***\n" || before != int64(len("first\n::add-mask::announced by a\nand announced by a\n")-10) {
		t.Errorf("the end: %q after %d, %v", text, before, err)
	}
	a.write("::add-mask::line one%0Aline %25 two")
	a.r.End = size(t, a)
	if err := m.Ended(dir, executor.ID{Node: 1, Execution: 1}, a.r, executor.Range{}); err != nil {
		t.Fatal(err)
	}
	b.write("line one, line % two, ::add-mask")
	if got := b.read(m, 35); got != "***, ***" {
		t.Errorf("values of several lines, without a line end: %q", got)
	}

	// A later daemon knows all of them, and keeps none of them.
	table.End(dir)
	later, err := table.Of(dir)
	if err != nil || later.Text("announced by a line one of the environment") != "*** *** ***" {
		t.Errorf("%v", err)
	}
	data, err := os.ReadFile(filepath.Join(dir, File))
	if err != nil || bytes.Contains(data, []byte("announced")) || bytes.Contains(data, []byte("environment")) {
		t.Errorf("%s, %v", data, err)
	}
	if info, err := os.Stat(filepath.Join(dir, File)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if m, err := table.Of(t.TempDir()); m != nil || err != nil {
		t.Errorf("a run without secrets: %v, %v", m, err)
	}
}

func size(t testing.TB, o *out) int64 {
	end, _, err := Size(o.dir, executor.Range{File: o.r.File, End: -1})
	if err != nil {
		t.Fatal(err)
	}
	return end
}

// TestAnnouncedInPieces writes lines in any pieces and searches after each: the values are those of the whole text, and no
// piece of a secret is ever shown.
func TestAnnouncedInPieces(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var table Table
		dir := t.TempDir()
		m := begin(t, &table, dir)
		o := newOut(t, dir, "s1.out")
		o.write("")
		m.Started(dir, executor.ID{}, o.r, executor.Range{})
		text := ""
		var values []string
		for i := range rapid.IntRange(1, 4).Draw(rt, "lines") {
			value := fmt.Sprintf("value-%d-%s", i, rapid.StringMatching(`[a-c]{0,5}`).Draw(rt, "value"))
			values = append(values, value)
			text += rapid.SampledFrom([]string{"", "+ echo ", ":", "::add-mask:"}).Draw(rt, "before") + Marker + value + "\n" + value + rapid.SampledFrom([]string{"\n", " end\n", ""}).Draw(rt, "after")
		}
		shown := ""
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(rt, "piece")
			o.write(rest[:n])
			rest = rest[n:]
			shown = o.read(m, 0)
			if strings.Contains(shown, "value-") || strings.Contains(shown, "alue-") {
				rt.Fatalf("%q shows %q", text, shown)
			}
		}
		o.r.End = size(t, o)
		if err := m.Ended(dir, executor.ID{}, o.r, executor.Range{}); err != nil {
			rt.Fatal(err)
		}
		for _, v := range values {
			if m.Text(v) != Hidden {
				rt.Fatalf("%q: %q is not hidden: %q", text, v, m.Text(v))
			}
		}
	})
}

// TestResume: a daemon that takes up a run knows what an earlier one hid, without the values; a cut line is skipped, and without
// the file the values begin again. If neither is there, nothing is shown.
func TestResume(t *testing.T) {
	var first Table
	dir := t.TempDir()
	m := begin(t, &first, dir, "the first value")
	if err := m.Add("a second value", "a third value"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, File)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	none := func() ([]string, error) { return nil, errors.New("the environment is gone") }
	again := func() ([]string, error) { return []string{"the first value"}, nil }
	const text = "the first value, a second value, a third value"
	for _, c := range []struct {
		what   string
		data   []byte
		values func() ([]string, error)
		want   string // "" = an error
	}{
		{"whole", data, none, "***, ***, ***"},
		{"cut", data[:len(data)-5], none, "***, ***, "},
		{"missing", nil, again, "***, a second value, a third value"},
		{"missing, as is the environment", nil, none, text},
		{"damaged", []byte("{}\n"), again, "***, a second value, a third value"},
		{"damaged, and the environment is gone", []byte("{}\n"), none, ""},
	} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if c.data != nil {
			if err := os.WriteFile(path, c.data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var later Table
		err := later.Resume(dir, c.values)
		m, ofErr := later.Of(dir)
		if c.want == "" {
			if err == nil || ofErr == nil {
				t.Errorf("%s: %v, %v", c.what, err, ofErr)
			}
			continue
		}
		if got := m.Text(text); err != nil || ofErr != nil || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, %v, %v", c.what, got, err, ofErr)
		}
		if err := m.Add("a fourth value"); err != nil {
			t.Error(err)
		}
		if again, err := read(dir); err != nil || again.Text("a fourth value") != Hidden {
			t.Errorf("%s: what was added later is lost, %v", c.what, err)
		}
	}
}

// TestNextExecutionInTheFile: an announced value without a line end does not go on in the output of the next execution.
func TestNextExecutionInTheFile(t *testing.T) {
	var table Table
	dir := t.TempDir()
	m := begin(t, &table, dir)
	a := newOut(t, dir, "s1.out")
	m.Started(dir, executor.ID{}, a.r, executor.Range{})
	a.write("::add-mask::value")
	end := size(t, a)
	a.write("next execution\n")
	if err := m.CatchUp(); err != nil {
		t.Fatal(err)
	}
	a.r.End = end
	if err := m.Ended(dir, executor.ID{}, a.r, executor.Range{}); err != nil || m.Text("a value") != "a ***" {
		t.Errorf("%s, %v", m.Text("a value"), err)
	}
}

// TestResumeBeforeReports: until a later daemon knows all executions, it searches every file.
func TestResumeBeforeReports(t *testing.T) {
	var first, later Table
	dir := t.TempDir()
	begin(t, &first, dir, "the first value")
	a, b := newOut(t, dir, "s1.out"), newOut(t, dir, "far/s2.out")
	a.write("::add-mask::announced by a\n")
	if err := later.Resume(dir, nil); err != nil {
		t.Fatal(err)
	}
	b.write("announced by a, the first value, ::add-mask::announced by b\n")
	if got := b.read(later.Live(dir), 0); got != "***, ***, ::add-mask::***\n" {
		t.Errorf("%q", got)
	}
	later.Live(dir).AllStarted()
	a.write("::add-mask::a stranger\na stranger, announced by b\n")
	if got := a.read(later.Live(dir), 0); !strings.HasSuffix(got, "\na stranger, ***\n") {
		t.Errorf("a file of no execution is searched: %q", got)
	}
}

func TestMostValues(t *testing.T) {
	m := New()
	for i := range 2 * most {
		if err := m.Add(fmt.Sprintf("%08x", i*2654435761)); err != nil {
			t.Fatal(err)
		}
	}
	if m.set.count != most || m.Text("00000000") != Hidden {
		t.Errorf("%d masks", m.set.count)
	}
}

// largeLog is a log of many lines in which a value occurs now and then.
func largeLog(size int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "2026-01-31T18:00:%02d INFO step %d of https://example.org/data/%d.fastq.gz: read 10%% of the input, 3 warnings\n", i%60, i, i)
		if i%1000 == 0 {
			b.WriteString("Authorization: Bearer ghp_0123456789abcdefghijABCDEFGHIJ\n")
		}
	}
	return b.Bytes()
}

// BenchmarkStream reads a log of 64 MiB through the masks of three secrets.
func BenchmarkStream(b *testing.B) {
	log := largeLog(64 << 20)
	for _, c := range []struct {
		name   string
		values []string
	}{
		{"three", []string{"ghp_0123456789abcdefghijABCDEFGHIJ", "https://me:hunter2@example.org", "short1"}},
		{"hundred", func() (list []string) {
			for i := range 100 {
				list = append(list, fmt.Sprintf("secret-number-%d-of-many", i))
			}
			return list
		}()},
	} {
		b.Run(c.name, func(b *testing.B) {
			m := New(c.values...)
			b.SetBytes(int64(len(log)))
			for b.Loop() {
				if _, err := io.Copy(io.Discard, struct{ io.Reader }{m.Stream(&pieces{log, nil}, View{})}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSearch looks for announced values in an output of 64 MiB.
func BenchmarkSearch(b *testing.B) {
	dir := b.TempDir()
	o := newOut(b, dir, "s1.out")
	o.write(string(largeLog(64 << 20)))
	o.r.End = size(b, o)
	b.SetBytes(o.r.End)
	for b.Loop() {
		m := New()
		if err := m.Ended(dir, executor.ID{}, o.r, executor.Range{}); err != nil {
			b.Fatal(err)
		}
	}
}
