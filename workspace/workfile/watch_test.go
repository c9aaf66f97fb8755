package workfile

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"wf/graphml"
)

// A watch of the folder would wake the daemon for everything that commands write there.
func TestTheFolderIsWatchedOnlyWithoutAFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "Workfile")
	write := func() {
		t.Helper()
		if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write()
	w, err := newWatch(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	expect := func(watched string) {
		t.Helper()
		for limit := time.After(testLimit); !slices.Equal(w.notify.WatchList(), []string{watched}); {
			select {
			case <-w.changes:
				if err := w.renew(); err != nil {
					t.Fatal(err)
				}
			case <-limit:
				t.Fatalf("watched: %q, not %s", w.notify.WatchList(), watched)
			}
		}
	}
	expect(path)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	expect(dir)
	write()
	expect(path)
}

// exchangeWay changes a file by an exchange with another one; nil if this system has no such call that tests use.
var exchangeWay func(b *bench, text string)

// However another program changes the file, the daemon notices it, and notices the next change, too.
func TestReplacedFileIsStillWatched(t *testing.T) {
	replace := func(b *bench, text string) {
		next := b.path + ".next"
		b.must(os.WriteFile(next, []byte(text), 0o600), os.Rename(next, b.path))
	}
	ways := map[string]func(b *bench, text string){
		"written": func(b *bench, text string) { b.write(text) },
		"renamed": replace,
		"renamed, the old one keeps a link": func(b *bench, text string) {
			os.Remove(b.path + "~") // of the change before
			b.must(os.Link(b.path, b.path+"~"))
			replace(b, text)
		},
		"removed and written": func(b *bench, text string) {
			b.must(os.Remove(b.path))
			b.write(text)
		},
		"moved away and back": func(b *bench, text string) {
			b.must(os.Rename(b.path, b.path+".away"), os.Rename(b.path+".away", b.path))
			b.write(text)
		},
		"moved away, then another one": func(b *bench, text string) {
			b.must(os.Rename(b.path, b.path+".away"))
			b.write(text)
		},
		"gone for a while": func(b *bench, text string) {
			b.must(os.Remove(b.path))
			b.await(func() bool { return b.f.Unreadable() != "" })
			b.write(text)
		},
	}
	if exchangeWay != nil {
		ways["exchanged"] = exchangeWay
	}
	for name, change := range ways {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			for i := range 3 {
				label := fmt.Sprint("change", i)
				data, err := graphml.CreateGraph([]graphml.NewNode{{ID: "a", Label: label}}, nil, nil)
				b.must(err)
				change(b, string(data))
				b.await(func() bool { return b.f.Graph().Node("a").Label == label })
			}
		})
	}
}
