package ownfile

import (
	"bytes"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestOpen checks that Open returns at once for every kind of file.
func TestOpen(t *testing.T) {
	dir, err := os.MkdirTemp("", "wf") // short enough for a socket
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "f")
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		make func() error
		want string // part of the error; "" = none
	}{
		{"file", func() error { return os.WriteFile(path, []byte("text"), 0o600) }, ""},
		{"nothing", func() error { return nil }, "no such file"},
		{"folder", func() error { return os.Mkdir(path, 0o700) }, "directory"},
		{"pipe", func() error { return syscall.Mkfifo(path, 0o600) }, ""},
		{"socket", func() error {
			l, err := net.Listen("unix", path)
			if err == nil {
				t.Cleanup(func() { l.Close() })
			}
			return err
		}, "no such device"},
		{"link", func() error { return os.Symlink(other, path) }, "symbolic links"},
		{"device", func() error { return os.Symlink("/dev/zero", path) }, "symbolic links"},
		{"mode 000", func() error { return os.WriteFile(path, nil, 0) }, "permission denied"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "mode 000" && os.Geteuid() == 0 {
				t.Skip("root may read everything")
			}
			if err := errors.Join(os.RemoveAll(path), c.make()); err != nil {
				t.Fatal(err)
			}
			for _, flag := range []int{os.O_RDONLY, os.O_RDWR, os.O_WRONLY | os.O_APPEND} {
				opened := make(chan error, 1)
				go func() {
					f, err := Open(path, flag)
					if err == nil {
						err = f.Close()
					}
					opened <- err
				}()
				select {
				case err := <-opened:
					refused := c.want != "" || c.name == "pipe"
					if (err != nil) != refused || err != nil && !strings.Contains(err.Error(), c.want) &&
						!strings.Contains(err.Error(), "regular") {
						t.Errorf("flag %#x: %v", flag, err)
					}
				case <-time.After(20 * time.Second):
					t.Fatalf("flag %#x: it hangs", flag)
				}
			}
		})
	}
	if _, err := Open(filepath.Join(dir, "new"), os.O_WRONLY|os.O_CREATE); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "new")); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("a new file: %v, %v", info.Mode(), err)
	}
}

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if _, err := Read(path, 10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	for _, text := range []string{"", "0123456789"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if data, err := Read(path, 10); err != nil || !bytes.Equal(data, []byte(text)) {
			t.Errorf("%q: %q, %v", text, data, err)
		}
	}
	if err := os.Truncate(path, 1<<40); err != nil { // sparse: needs no space
		t.Skip(err)
	}
	if _, err := Read(path, 10); err == nil || !strings.Contains(err.Error(), "at most 10") {
		t.Errorf("a large file: %v", err)
	}
}

// TestOwner checks that a file of another user is refused, even if it is readable.
func TestOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	path := filepath.Join(t.TempDir(), "f")
	if err := errors.Join(os.WriteFile(path, nil, 0o644), os.Chown(path, 12345, 12345)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, os.O_RDONLY); err == nil || !strings.Contains(err.Error(), "user 12345") {
		t.Errorf("a file of another user: %v", err)
	}
}
