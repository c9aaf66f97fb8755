package executor

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fuzzWrappers have the placeholder in every kind of quotes. They print it with what is built into
// every shell.
var fuzzWrappers = []string{
	"printf %s {}", "printf %s '{}'", `printf %s "{}"`, "printf %s",
	`/bin/sh -c 'printf %s "$1"' x {}`, `(printf %s "{}")`, `: \' \" && printf %s "{}"`, `x=$(echo ')'); printf %s '{}'`,
	`printf %s "$(printf %s {})"`, `printf %s "$(printf %s '{}')"`, `printf %s "$(printf %s "{}")"`,
	"printf %s \"`printf %s {}`\"", "printf %s \"`printf %s '{}'`\"",
}

// FuzzLine has a real shell print any label from within any quotes. The shell finds no programs:
// if a label got out of its quotes, nothing would happen but a failure.
func FuzzLine(f *testing.F) {
	for i := range fuzzWrappers {
		f.Add(byte(i), "it's \"$HOME\" `id` \\ $(( {} ) # ~ *\n!é\r\t;&|<>")
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, which byte, label string) {
		wrapper := fuzzWrappers[int(which)%len(fuzzWrappers)]
		if strings.Contains(label, "\x00") || len(label) > 64<<10 {
			t.Skip("no argument of a program can hold it")
		}
		if strings.HasPrefix(wrapper, `printf %s "$(`) || strings.HasPrefix(wrapper, "printf %s \"`") {
			label = strings.TrimRight(label, "\n") // a substitution takes them off the end
		}
		line := Line(wrapper, label)
		cmd := exec.Command("/bin/sh", "-c", line)
		cmd.Dir, cmd.Env = dir, []string{"PATH=/nonexistent"}
		if got, err := cmd.CombinedOutput(); err != nil || string(got) != label {
			t.Fatalf("%q\n got %q (%v)\nwant %q", line, got, err, label)
		}
	})
}

// sampleLines returns an example of every kind of line, see TestSampleLines of package wire.
func sampleLines(f *testing.F) []byte {
	text, err := os.ReadFile(filepath.Join("wire", "testdata", "lines.json"))
	if err != nil {
		f.Fatal(err)
	}
	return text
}

// FuzzSessionReads sends anything to a daemon as the news of a run: each start and end is reported
// once and in order, what is of an unknown kind is not, and what cannot be read ends the reading.
func FuzzSessionReads(f *testing.F) {
	f.Add(sampleLines(f))
	f.Add([]byte(`{"k":"start","n":1,"e":1,"o":[1,2,3]}` + "\n" + `{"k":"end","n":1,"e":1,"g":-1,"m":"\ud800"}` + "\n"))
	f.Add([]byte(`{"k":"later","n":{"x":1}}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var got []Report
		told := 0
		s := newSession(Spec{Report: func(rs []Report) {
			for _, r := range rs {
				if r.Kind == Told {
					told++
				} else {
					got = append(got, r)
				}
			}
		}}, &runnerHandle{ward: newWards().add("")})
		ours, theirs := net.Pipe()
		go func() {
			ours.Write(data)
			ours.Close()
		}()
		if s.read(theirs) == nil {
			t.Error("a connection ended without an error")
		}
		theirs.Close()
		var want []Report
		held := ""
		reader := bufio.NewReader(bytes.NewReader(data))
		for {
			line, err := readLine(reader)
			var e entry
			if err != nil || json.Unmarshal(line, &e) != nil {
				break
			}
			if e.Kind == entryStart || e.Kind == entryEnd {
				want = append(want, reportOf(&e))
				continue
			}
			var n notice
			if json.Unmarshal(line, &n) != nil {
				break
			}
			switch n.Kind {
			case lineBroken:
				want = append(want, Report{Kind: Broken, Message: n.Message})
			case lineWidth:
				want = append(want, Report{Kind: Resized, Width: n.Width})
			case lineHeld: // said again, it is no news
				if n.Message != held {
					held = n.Message
					want = append(want, Report{Kind: Held, Message: held})
				}
			}
		}
		// What came with the line that ended the reading may be lost with it, nothing before.
		if len(got) > len(want) || told > 1 {
			t.Fatalf("%d reports of %d lines that have one, told %d times", len(got), len(want), told)
		}
		for i, r := range got {
			if r.Kind != want[i].Kind || r.ID != want[i].ID || r.Message != want[i].Message {
				t.Fatalf("report %d: %+v, want %+v", i, r, want[i])
			}
		}
	})
}

// FuzzRecordReplay folds anything as the record of an earlier runner. What is news is announced
// again, byte for byte; an entry of an unknown kind begins, ends and announces nothing.
func FuzzRecordReplay(f *testing.F) {
	f.Add(sampleLines(f))
	f.Add([]byte(`{"k":"end","n":1,"e":1}` + "\n" + `{"k":"intent","n":1,"e":1}` + "\n" + `{"k":"start","n":1,"e":1,"s":-4}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := &runner{known: map[ID]struct{}{}}
		p := &past{open: map[ID]*execution{}, boots: map[ID]string{}}
		var announced []byte
		for line := range bytes.SplitSeq(data, []byte("\n")) {
			var e, again entry
			if json.Unmarshal(line, &e) != nil {
				continue
			}
			if json.Unmarshal(e.append(nil), &again) == nil && again != e && isKnown(e.Kind) {
				t.Fatalf("%+v written and read is %+v", e, again)
			}
			open, order := len(p.open), len(p.order)
			r.replay(p, &e, line)
			if e.Kind == entryStart || e.Kind == entryEnd {
				announced = append(append(announced, line...), '\n')
			}
			if !isKnown(e.Kind) && (len(p.open) != open || len(p.order) != order) {
				t.Fatalf("an entry of the kind %q changed what is open", e.Kind)
			}
		}
		if !bytes.Equal(r.news, announced) {
			t.Fatalf("news %q, want %q", r.news, announced)
		}
	})
}

func isKnown(kind string) bool {
	switch kind {
	case entryRunner, entryIntent, entryFork, entryForget, entryStart, entryStop, entryExit, entryEnd:
		return true
	}
	return false
}
