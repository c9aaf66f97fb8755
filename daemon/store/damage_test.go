package store

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"wf/executor/ownfile"

	bolt "go.etcd.io/bbolt"
	"golang.org/x/sys/unix"
)

// sample returns the bytes of a store of many pages, and its values.
func sample(t *testing.T) ([]byte, map[string]string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kv.db")
	s := open(t, path)
	values := map[string]string{}
	for i := range 150 {
		key := fmt.Sprintf("key/%03d", i)
		values[key] = strings.Repeat(fmt.Sprint(i, ";"), i%7*20)
		if i%50 == 0 {
			values[key] = strings.Repeat("large", 4000)
		}
		s.mustSet(t, Machine(), key, values[key], Terms{TTL: time.Duration(i%3) * time.Hour})
	}
	for i := range 30 {
		s.mustSet(t, Run("w", i+1), "k", "v", Terms{})
	}
	s.Close()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data, values
}

// TestDamage checks that no read and no change of a damaged file crashes or hangs the program, that no wrong value is
// returned, and that a refused file is not changed.
func TestDamage(t *testing.T) {
	whole, values := sample(t)
	page := os.Getpagesize()
	random := rand.New(rand.NewPCG(1, 2))
	step := page
	if testing.Short() {
		step *= 5
	}
	for at := 0; at < len(whole); at += step {
		for name, spoil := range map[string]func([]byte) []byte{
			"zeros": func(b []byte) []byte { clear(b[at : at+page]); return b },
			"ones":  func(b []byte) []byte { copy(b[at:], bytes.Repeat([]byte{0xff}, page)); return b },
			"noise": func(b []byte) []byte {
				for i := range page {
					b[at+i] = byte(random.Uint32())
				}
				return b
			},
			"header": func(b []byte) []byte { b[at+8+random.IntN(8)] ^= 1 << random.IntN(8); return b },
			"bit":    func(b []byte) []byte { b[at+random.IntN(page)] ^= 1 << random.IntN(8); return b },
			"cut":    func(b []byte) []byte { return b[:at] },
			"torn":   func(b []byte) []byte { return b[:at+random.IntN(page)] },
			"copy":   func(b []byte) []byte { copy(b[at:at+page], b[random.IntN(len(b)/page)*page:]); return b },
		} {
			checkDamaged(t, fmt.Sprintf("%s at %d", name, at), spoil(bytes.Clone(whole)), values)
		}
	}
	checkDamaged(t, "text", []byte(strings.Repeat("this is no database\n", 2000)), values)
}

func checkDamaged(t *testing.T, name string, data []byte, values map[string]string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kv.db")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	defer s.Close()
	refused := func(err error) {
		if kind := kindOf(err); err != nil && kind != Damaged && kind != Newer || err != nil && !strings.Contains(err.Error(), path) {
			t.Fatalf("%s: %v", name, err)
		}
	}
	for key, want := range values {
		out, err := s.Get(t.Context(), Machine(), key)
		refused(err)
		if err == nil && out.Found && string(out.Value) != want {
			t.Fatalf("%s: the value of %s is %.60q", name, key, out.Value)
		}
	}
	opened := s.current.Load() != nil
	if after, err := os.ReadFile(path); !opened && (err != nil || !bytes.Equal(after, data)) {
		t.Fatalf("%s: refused, and changed: %v", name, err)
	}
	_, _, err := s.Keys(t.Context(), Machine(), "", "", 1000)
	refused(err)
	for i := range 20 {
		_, err := s.Set(t.Context(), Machine(), fmt.Sprintf("key/%03d", i*7), []byte("new"), Terms{TTL: time.Hour})
		refused(err)
		_, err = s.Delete(t.Context(), Machine(), fmt.Sprintf("key/%03d", i*7+1), nil)
		refused(err)
	}
	refused(s.Forget(t.Context(), "w", []int{1, 2, 3}))
}

// TestDamagedFileIsRefusedUntilMoved checks that a damaged file is refused until it is moved away. Then the store is empty,
// and the damaged file is unchanged.
func TestDamagedFileIsRefusedUntilMoved(t *testing.T) {
	data, _ := sample(t)
	data = data[:len(data)/2]
	path := filepath.Join(t.TempDir(), "kv.db")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	for range 3 {
		if _, err := s.Set(t.Context(), Machine(), "k", nil, Terms{}); kindOf(err) != Damaged {
			t.Fatal(err)
		}
		if _, err := s.Get(t.Context(), Machine(), "k"); kindOf(err) != Damaged {
			t.Fatal(err)
		}
	}
	if err := os.Rename(path, path+".damaged"); err != nil {
		t.Fatal(err)
	}
	if s.mustSet(t, Machine(), "k", "v", Terms{}); s.mustGet(t, Machine(), "k") != "v" {
		t.Error("the new store stores nothing")
	}
	if after, err := os.ReadFile(path + ".damaged"); err != nil || !bytes.Equal(after, data) {
		t.Errorf("the damaged file was changed: %v", err)
	}
}

// TestCutWhileOpen checks that missing pages of a truncated file cause an error and not a fault, and that all values are
// back when the file is restored.
func TestCutWhileOpen(t *testing.T) {
	data, values := sample(t)
	for pages, why := range map[int]string{1: "a part of it cannot be read", 3: "it ends after"} {
		checkCut(t, data, values, pages, why)
	}
}

func checkCut(t *testing.T, data []byte, values map[string]string, pages int, why string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kv.db")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	s.mustGet(t, Machine(), "key/001")
	if err := os.Truncate(path, int64(pages*os.Getpagesize())); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := s.Get(t.Context(), Machine(), "key/100"); kindOf(err) != Damaged || !strings.Contains(err.Error(), why) {
			t.Fatal(err)
		}
		if _, err := s.Set(t.Context(), Machine(), "k", nil, Terms{}); kindOf(err) != Damaged {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for key, want := range values {
		if got := s.mustGet(t, Machine(), key); got != want {
			t.Fatalf("%s is %.60q", key, got)
		}
	}
}

// TestFaultInATransaction makes a page unreadable during a transaction.
func TestFaultInATransaction(t *testing.T) {
	for _, update := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "kv.db")
		s := open(t, path)
		s.mustSet(t, Machine(), "k", strings.Repeat("v", MaxValue), Terms{})
		cut := func(b *bolt.Bucket) error {
			record := b.Get([]byte("k"))
			if err := os.Truncate(path, int64(os.Getpagesize())); err != nil {
				return err
			}
			_, _, problem := decode([]byte("k"), record)
			return fmt.Errorf("read: %s", problem)
		}
		var err error
		if update {
			err = s.change(t.Context(), &change{do: func(turn *turn) error {
				return cut(turn.tx.Bucket(valuesBucket).Bucket([]byte(machineName)))
			}})
		} else {
			err = s.read(t.Context(), Machine(), func(b *bolt.Bucket, _ int64) error { return cut(b) })
		}
		if kindOf(err) != Damaged {
			t.Errorf("update %v: %v", update, err)
		}
		if _, err := s.Set(t.Context(), Machine(), "k", nil, Terms{}); kindOf(err) != Damaged {
			t.Errorf("afterwards: %v", err)
		}
	}
}

// TestMovedAway checks that no change is written to a file that was moved away.
func TestMovedAway(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kv.db")
	s := open(t, path)
	s.mustSet(t, Machine(), "k", "old", Terms{})
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	if got := s.mustGet(t, Machine(), "k"); got != "<none>" {
		t.Errorf("there is %q", got)
	}
	s.mustSet(t, Machine(), "k", "new", Terms{})
	old := open(t, path+".old")
	if got := old.mustGet(t, Machine(), "k"); got != "old" {
		t.Errorf("in the file that was moved: %q", got)
	}
	old.Close()
	if err := os.Rename(path+".old", path); err != nil {
		t.Fatal(err)
	}
	if got := s.mustGet(t, Machine(), "k"); got != "old" {
		t.Errorf("after it came back: %q", got)
	}
}

// TestLockedByAnother checks that the wait for a locked file is bounded, and that the store works after the unlock.
func TestLockedByAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "kv.db")
		other := open(t, path)
		other.mustSet(t, Machine(), "k", "v", Terms{})
		s := open(t, path)
		for _, err := range []error{second(s.Get(t.Context(), Machine(), "k")), second(s.Set(t.Context(), Machine(), "k", nil, Terms{}))} {
			if kindOf(err) != Locked || !strings.Contains(err.Error(), path) {
				t.Errorf("%v", err)
			}
		}
		other.Close()
		if got := s.mustGet(t, Machine(), "k"); got != "v" {
			t.Errorf("%q", got)
		}
	})
}

// TestOddFiles checks that other types of files, and files of other users, are refused at once and not written.
func TestOddFiles(t *testing.T) {
	for name, plant := range map[string]func(path string) error{
		"link":   func(path string) error { return os.Symlink(path+".target", path) },
		"pipe":   func(path string) error { return unix.Mkfifo(path, 0o600) },
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"empty":  func(path string) error { return os.WriteFile(path, nil, 0o600) },
	} {
		path := filepath.Join(t.TempDir(), "kv.db")
		if err := plant(path); err != nil {
			t.Fatal(err)
		}
		s := open(t, path)
		if _, err := s.Set(t.Context(), Machine(), "k", nil, Terms{}); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := s.Get(context.Background(), Machine(), "k"); err == nil {
			t.Errorf("%s is read", name)
		}
		if _, err := os.Lstat(path + ".target"); !os.IsNotExist(err) {
			t.Errorf("%s: the target was written: %v", name, err)
		}
	}
}

// TestAnotherFormat checks that a file of a later version is not changed.
func TestAnotherFormat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kv.db")
	s := open(t, path)
	s.mustSet(t, Machine(), "k", "v", Terms{})
	err := s.current.Load().update(func(tx *bolt.Tx) error { return tx.Bucket(aboutBucket).Put(formatKey, []byte("2")) })
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	s = open(t, path)
	if _, err := s.Set(t.Context(), Machine(), "k", nil, Terms{}); kindOf(err) != Newer {
		t.Error(err)
	}
}

// TestIncompleteNewFile checks that an incomplete new file, as after a crash, does no harm.
func TestIncompleteNewFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kv.db")
	if err := os.WriteFile(path+ownfile.Unfinished, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	s.mustSet(t, Machine(), "k", "v", Terms{})
	if _, err := os.Lstat(path + ownfile.Unfinished); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
}

// TestOneValueIsDamaged checks that the other values can be used, and that the damaged one can be replaced or removed.
func TestOneValueIsDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kv.db")
	s := open(t, path)
	for _, key := range []string{"a", "b", "c"} {
		s.mustSet(t, Machine(), key, "value of "+key, Terms{TTL: time.Hour})
	}
	s.Close()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data = bytes.ReplaceAll(data, []byte("value of b"), []byte("value of B"))
	data = bytes.ReplaceAll(data, []byte("value of c"), []byte("value of C"))
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	s = open(t, path)
	for _, err := range []error{
		second(s.Get(t.Context(), Machine(), "b")),
		second(s.Add(t.Context(), Machine(), "b", 1, 0)),
		second(s.Set(t.Context(), Machine(), "b", nil, Terms{IfAbsent: true})),
		second(s.Delete(t.Context(), Machine(), "b", text("value of B"))),
	} {
		if kindOf(err) != Damaged || !strings.Contains(err.Error(), `"b"`) {
			t.Errorf("%v", err)
		}
	}
	if got := s.mustGet(t, Machine(), "a"); got != "value of a" {
		t.Errorf("%q", got)
	}
	if s.mustSet(t, Machine(), "b", "new", Terms{}); s.mustGet(t, Machine(), "b") != "new" {
		t.Error("it cannot be replaced")
	}
	if out, err := s.Delete(t.Context(), Machine(), "c", nil); err != nil || !out.Done {
		t.Errorf("it cannot be removed: %+v, %v", out, err)
	}
}
