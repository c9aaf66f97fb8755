package runner

import (
	"cmp"
	"maps"
	"os"
	"slices"
	"testing"

	"wf/executor/wire"
)

// FuzzRunnerReceives sends any text to a runner, once in one piece and once in two: the result is the same, no command is
// executed before a hello, and none is recorded twice.
func FuzzRunnerReceives(f *testing.F) {
	f.Add(sampleLines(f), uint16(7))
	f.Add([]byte(`{"k":"hello","v":1}`+"\n"+`{"k":"start","n":1,"e":1,"line":"true"}`+"\n"+`{"k":"start","n":1,"e":1,"line":"false"}`+"\n"+`{"k":"width","w":-1}`+"\n"), uint16(25))
	f.Add([]byte(`{"k":"start","n":1,"e":1,"line":"true"}`+"\n"+`{"k":"hello","v":1}`+"\n"), uint16(1))
	f.Add([]byte(`{"k":"hello","v":1,"since":-5}`+"\n"+`{"k":"close"}`+"\n"+`{"k":"start","n":1,"e":1,"line":"x"}`+"\n"+`{"k":"stop","ids":[{}],"grace":-1}`+"\n{"), uint16(40))
	f.Add([]byte(`{"k":"hello","v":1,"since":9223372036854775807}`+"\n"+`{"k":"stop","ids":null,"grace":9223372036854775807}`+"\n"), uint16(0))
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		f.Fatal(err)
	}
	defer null.Close()
	daemon := int(null.Fd())
	f.Fuzz(func(t *testing.T, text []byte, cut uint16) {
		at := min(int(cut), len(text))
		whole, pieces := listen(daemon, text), listen(daemon, text[:at], text[at:])
		if !slices.Equal(whole.known, pieces.known) || whole.width != pieces.width || whole.closing != pieces.closing || whole.greeted != pieces.greeted {
			t.Fatalf("in one piece %+v, in two %+v", whole, pieces)
		}
		if !whole.greeted && (len(whole.known) > 0 || whole.width != 0 || whole.closing) {
			t.Fatalf("executed without a hello: %+v", whole)
		}
		if whole.intents > len(whole.known) || whole.ends > len(whole.known) {
			t.Fatalf("recorded twice: %+v", whole)
		}
	})
}

// received is the state of a runner after it has received the text.
type received struct {
	known         []wire.ID // accepted jobs
	width         int
	greeted       bool
	closing       bool
	intents, ends int // recorded
}

// open sends the pieces to a new runner, whose loop does not run, so that it forks nothing. Its own lines go to the
// descriptor daemon.
func listen(daemon int, pieces ...[]byte) received {
	record := &memoryLog{}
	r := emptyRunner("", "", Options{})
	r.log.file = record
	l := &link{fd: daemon}
	for _, p := range pieces {
		if l.read(p, r.execute) != nil {
			break
		}
	}
	h := received{width: r.jobs.width, greeted: l.greeted, closing: r.closing.requested}
	h.known = slices.SortedFunc(maps.Keys(r.jobs.known), func(a, b wire.ID) int {
		return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Execution, b.Execution))
	})
	for _, e := range record.entries {
		switch e.Kind {
		case wire.EntryIntent:
			h.intents++
		case wire.EntryEnd:
			h.ends++
		}
	}
	return h
}
