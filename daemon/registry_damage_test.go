package daemon

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"wf/api"
)

// TestDamagedRegistry checks that any file at the path of the registry is read without blocking and is not removed as if
// this daemon had written it.
func TestDamagedRegistry(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, api.FileRegistry)
	own := api.Registry{PID: os.Getpid(), Socket: "/s", Token: newToken()}
	text, err := json.Marshal(own)
	if err != nil {
		t.Fatal(err)
	}
	file := func(text []byte) func() error { return func() error { return os.WriteFile(path, text, 0o600) } }
	ruins := []func() error{
		func() error { return os.Mkdir(path, 0o700) },
		func() error { return syscall.Mkfifo(path, 0o600) },
		func() error { return os.Symlink("/dev/zero", path) },
		func() error { return syscall.Mknod(path, syscall.S_IFSOCK|0o600, 0) },
		func() error { return errors.Join(os.WriteFile(path, text, 0o600), os.Truncate(path, 1<<30)) },
	}
	for cut := range text {
		ruins = append(ruins, file(text[:cut]))
	}
	chance := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		flipped := append([]byte(nil), text...)
		flipped[chance.IntN(len(text))] ^= 1 << chance.IntN(8)
		ruins = append(ruins, file(flipped))
	}
	for i, ruin := range ruins {
		if err := errors.Join(os.RemoveAll(path), ruin()); err != nil {
			t.Fatal(err)
		}
		read := make(chan api.Registry, 1)
		go func() {
			reg, _ := readRegistry(dir)
			removeRegistry(dir, api.Registry{Token: "another"})
			read <- reg
		}()
		select {
		case <-read:
		case <-time.After(20 * time.Second):
			t.Fatalf("ruin %d: it hangs", i)
		}
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("ruin %d was removed: %v", i, err)
		}
	}
	if err := errors.Join(os.RemoveAll(path), writeRegistry(dir, own)); err != nil {
		t.Fatal(err)
	}
	removeRegistry(dir, own)
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("our own registry stays: %v", err)
	}
}
