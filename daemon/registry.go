package daemon

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"wf/api"
	"wf/executor/ownfile"
)

// newRegistry describes this process. The token is new with every daemon.
func newRegistry(version string, listeners *listeners) api.Registry {
	pid := os.Getpid()
	return api.Registry{PID: pid, StartTime: startTime(pid), BootID: bootID(),
		Socket: listeners.socket, URL: listeners.url, Token: newToken(), Version: version}
}

// newToken returns 256 random bits.
func newToken() string {
	var b [32]byte
	rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// writeRegistry replaces the registry, also another one: the caller holds the lock.
func writeRegistry(runtime string, reg api.Registry) error {
	data, err := json.MarshalIndent(reg, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the registry: %w", err)
	}
	// CreateTemp opens with O_EXCL and mode 0600, so no other program can have created the file, or a link in its
	// place.
	f, err := os.CreateTemp(runtime, api.FileRegistry+".*")
	if err != nil {
		return fmt.Errorf("write the registry: %w", err)
	}
	_, err = f.Write(append(data, '\n'))
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(runtime, api.FileRegistry))
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("write the registry: %w", err)
	}
	return nil
}

func readRegistry(runtime string) (api.Registry, error) {
	var reg api.Registry
	data, err := ownfile.Read(filepath.Join(runtime, api.FileRegistry), api.MaxRegistry)
	if err != nil {
		return reg, err
	}
	return reg, json.Unmarshal(data, &reg)
}

// LeftGiven returns the flags of a daemon that was killed, nil if there is none: an orderly end removes the registry.
func LeftGiven(runtime string) []string {
	reg, err := readRegistry(runtime)
	if err != nil {
		return nil
	}
	return strings.Fields(reg.Given)
}

// removeRegistry removes the registry if it is still the one this daemon wrote.
func removeRegistry(runtime string, own api.Registry) {
	if reg, err := readRegistry(runtime); err == nil && reg.Token == own.Token {
		os.Remove(filepath.Join(runtime, api.FileRegistry))
	}
}

// alive reports whether the process of the registry exists and wrote it: same boot, same start time.
func alive(reg api.Registry) bool {
	return reg.PID > 0 && reg.BootID == bootID() && exists(reg.PID) && startTime(reg.PID) == reg.StartTime
}

// exists reports whether some process has this pid. Signal 0 checks and sends nothing.
func exists(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
