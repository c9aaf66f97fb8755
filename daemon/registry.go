package daemon

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"wf/api"
	"wf/executor/ownfile"
	"wf/executor/proc"
)

// newRegistry describes this process. The token is new with every daemon.
func newRegistry(version string, listeners *listeners) api.Registry {
	pid := os.Getpid()
	return api.Registry{PID: pid, StartTime: startTime(pid), BootID: bootID(),
		Socket: listeners.socket, URL: listeners.url, Token: newToken(), Version: version, Protocol: api.Version, Requests: true}
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
	if err := ownfile.Replace(filepath.Join(runtime, api.FileRegistry), append(data, '\n'), false); err != nil {
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

// CrashedFlags returns the flags of a daemon that was killed, nil if there is none: an orderly end removes the registry.
func CrashedFlags(runtime string) []string {
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

// bootID returns the id of the current boot, "" if it is unknown. On macOS, which has none, the registry contains the time
// of the boot in seconds.
func bootID() string {
	boot, _ := proc.BootID()
	if end := len(boot) - len("000000000"); runtime.GOOS == "darwin" && end > 0 {
		boot = boot[:end] // package proc counts nanoseconds
	}
	return boot
}

// startTime returns when a process started, in the unit of package proc; 0 if there is no such process.
func startTime(pid int) uint64 {
	p, err := proc.Read(pid)
	if err != nil {
		return 0
	}
	return uint64(p.StartTicks)
}

// exists reports whether some process has this pid. Signal 0 checks and sends nothing.
func exists(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
