package ledger

import (
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"wf/trigger/arrivals"
)

// some returns files with names from a number on.
func some(from, count int) (files []arrivals.File) {
	for i := range count {
		files = append(files, arrivals.File{Name: fmt.Sprintf("in/%04d", from+i), Version: arrivals.Version{Size: 7, Modified: int64(from + i), Inode: 3}})
	}
	return files
}

// TestFiles checks which files are decided, now, after the file is read again, and after it is rewritten.
func TestFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger")
	l := open(t, path)
	put(t, l, at(Arm, 0, func(r *Record) { r.Folder = 5 }))
	put(t, l, SeenFiles(noon, "w", "t", 5, some(0, 2500))...)
	with := func(from, count int) func(*Record) {
		return func(r *Record) { r.Files, r.Folder = some(from, count), 6 }
	}
	put(t, l, at(Start, 1, with(3000, 20)), at(End, 1, nil), at(Start, 2, with(4000, 30)), at(Skip, 3, with(5000, 12)))
	put(t, l, at(Start, 4, func(r *Record) { r.Files, r.ByHand = some(6000, 1), true }))
	put(t, l, at(Forget, 5, func(r *Record) { r.Names = []string{"in/0000", "in/3000", "in/9999"} }))
	check := func(l *Ledger) {
		t.Helper()
		files, armed := l.DecidedFiles("w", "t")
		if !armed || files.Folder != 6 || len(files.Known) != 2500+20+30-2 {
			t.Errorf("%d files of the folder %d are decided", len(files.Known), files.Folder)
		}
		for name, want := range map[string]bool{"in/0000": false, "in/0001": true, "in/2499": true, "in/3000": false, "in/3019": true, "in/4029": true, "in/5000": false, "in/6000": false} {
			v, known := files.Known[name]
			if known != want || known && (v.Size != 7 || v.Inode != 3) {
				t.Errorf("%s is decided: %v, as %+v", name, known, v)
			}
		}
		if p := l.Pending("w"); len(p) != 2 || !reflect.DeepEqual(p[0].Files, some(4000, 30)) {
			t.Errorf("pending are %+v", p)
		}
		recent := l.Recent("w")
		if len(recent) != 5 {
			t.Fatalf("recent are %+v", recent)
		}
		for i, count := range map[int]int{0: 20, 2: 30, 3: 12, 4: 1} {
			if r := recent[i]; r.Count != count || len(r.Files) != min(count, namesKept) {
				t.Errorf("%s: %d of %d files are kept, want %d", r.Op, len(r.Files), r.Count, count)
			}
		}
	}
	check(l)
	again := open(t, path)
	check(again)
	for range 2 {
		if err := again.compact(); err != nil {
			t.Fatal(err)
		}
		check(again)
		check(open(t, path))
	}
	put(t, again, at(End, 2, nil))
	if err := again.compact(); err != nil {
		t.Fatal(err)
	}
	if p := open(t, path).Pending("w"); len(p) != 1 {
		t.Errorf("pending are %+v", p)
	}
	if _, armed := again.DecidedFiles("w", "other"); armed {
		t.Error("a trigger that is not armed has files")
	}
}

// TestForgotten checks that the ledger of a folder whose files come and go does not grow.
func TestForgotten(t *testing.T) {
	l := open(t, filepath.Join(t.TempDir(), "ledger"))
	put(t, l, at(Arm, 0, nil))
	for i := range 400 {
		files := some(1000*i, 100)
		put(t, l, at(Start, i, func(r *Record) { r.Files = files }), at(End, i, nil))
		var names []string
		for _, f := range files {
			names = append(names, f.Name)
		}
		put(t, l, at(Forget, i, func(r *Record) { r.Names = names }))
	}
	if files, _ := l.DecidedFiles("w", "t"); len(files.Known) != 0 || l.size > 2*compactSize {
		t.Errorf("%d files are decided, and the ledger has %d bytes", len(files.Known), l.size)
	}
}

// TestKeyOfFiles checks that the key is that of the files, their versions and the time.
func TestKeyOfFiles(t *testing.T) {
	key := KeyOfFiles("w", "t", noon, some(0, 2))
	other := some(0, 2)
	other[1].Modified++
	for what, k := range map[string]string{"fewer files": KeyOfFiles("w", "t", noon, some(0, 1)), "another version": KeyOfFiles("w", "t", noon, other),
		"another time": KeyOfFiles("w", "t", noon.Add(1), some(0, 2)), "another trigger": KeyOfFiles("w", "u", noon, some(0, 2))} {
		if k == key {
			t.Errorf("%s: the same key", what)
		}
	}
	if key != KeyOfFiles("w", "t", noon, some(0, 2)) {
		t.Error("the key is not always the same")
	}
}
