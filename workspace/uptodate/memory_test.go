package uptodate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestDamage: whatever becomes of the file, a memory knows nothing that was not written, and what is written afterwards is
// found again.
func TestDamage(t *testing.T) {
	b := newBench(t)
	b.succeed()
	b.task.Version = "2"
	b.succeed()
	if err := b.memory.Save(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(b.memory.path)
	if err != nil {
		t.Fatal(err)
	}
	known := b.memory.successes
	random := rand.New(rand.NewPCG(1, 2))
	path := filepath.Join(t.TempDir(), "memory")
	for at := range len(whole) {
		for _, damaged := range [][]byte{
			whole[:at],
			append(append([]byte{}, whole[:at]...), whole[at+1:]...),
			func() []byte { d := append([]byte{}, whole...); d[at] ^= 1 << random.IntN(8); return d }(),
			func() []byte { d := append([]byte{}, whole...); clear(d[at:]); return d }(),
		} {
			if err := os.WriteFile(path, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			m, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			for key, s := range m.successes {
				if known[key] == nil || known[key].Facts.Version != s.Facts.Version || fmt.Sprint(known[key].Outputs) != fmt.Sprint(s.Outputs) {
					t.Fatalf("damage at %d made a success: %+v", at, s)
				}
			}
			m.Remember(&Success{Node: "count", Run: 43, Facts: Facts{Version: "3"}})
			if err := m.Save(); err != nil {
				t.Fatal(err)
			}
			if m, err = Open(path); err != nil || m.Latest("count") == nil || m.Latest("count").Run != 43 {
				t.Fatalf("damage at %d: a later success is not found: %v", at, err)
			}
		}
	}
}

// TestMemoryIsBounded: successes with ever new facts, and digests of ever new files, do not make the file grow for ever.
func TestMemoryIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory")
	m, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5000 {
		m.Remember(&Success{Node: fmt.Sprint(i % 3), Run: i, Facts: Facts{Version: fmt.Sprint(i)}})
		if i%10 == 0 {
			if err := m.Save(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := m.Save(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() > 1<<20 {
		t.Errorf("%d bytes, %v", info.Size(), err)
	}
	if m, err = Open(path); err != nil || len(m.successes) != 3*maxPerNode || m.Latest("1").Run != 4999-(4999-1)%3 {
		t.Errorf("%d successes, latest %+v, %v", len(m.successes), m.Latest("1"), err)
	}
}

// TestAFullDisk: what could not be written is written later.
func TestAFullDisk(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "sub", "memory")
	m, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	m.Remember(&Success{Node: "a", Run: 1})
	if err := m.Save(); err == nil {
		t.Fatal("no error")
	}
	m.Remember(&Success{Node: "b", Run: 2})
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := m.Save(); err != nil {
		t.Fatal(err)
	}
	if m, err = Open(path); err != nil || m.Latest("b") == nil {
		t.Errorf("%v", err)
	}
}

// BenchmarkLook decides about 10,000 commands with two unchanged inputs and one output each, from the opening of the memory on.
func BenchmarkLook(b *testing.B) {
	folder := b.TempDir()
	path := filepath.Join(b.TempDir(), "memory")
	const n = 10_000
	var tasks []Task
	for i := range n {
		in, out := fmt.Sprintf("in/%d.txt", i), fmt.Sprintf("out/%d.txt", i)
		write(b, folder, in+"=content "+in, out+"=content "+out)
		tasks = append(tasks, Task{Node: fmt.Sprint(i), Folder: folder, Command: Commanded("/bin/sh", "-c", out),
			Inputs: []string{in, fmt.Sprintf("in/%d.txt", (i+1)%n)}, Outputs: []string{out}})
	}
	write(b, folder, fmt.Sprintf("in/%d.txt=last", n-1))
	time.Sleep(racy) // so that the digests are trusted
	ctx := context.Background()
	m, err := Open(path)
	if err != nil {
		b.Fatal(err)
	}
	for _, t := range tasks {
		l, err := m.Look(ctx, t)
		if err != nil {
			b.Fatal(err)
		}
		s, err := m.Done(ctx, t, l, 1)
		if err != nil {
			b.Fatal(err)
		}
		m.Remember(s)
	}
	if err := m.Save(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		m, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		for _, t := range tasks {
			if l, err := m.Look(ctx, t); err != nil || l.Success == nil {
				b.Fatalf("%+v %v", l, err)
			}
		}
	}
}
