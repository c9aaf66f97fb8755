package daemon

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"wf/api"
	"wf/executor/ownfile"
)

// newRegistry describes this process. The token is new with every daemon.
func newRegistry(version string, doors *doors) api.Registry {
	pid := os.Getpid()
	return api.Registry{PID: pid, StartTime: startTime(pid), BootID: bootID(),
		Socket: doors.socket, URL: doors.url, Token: newToken(), Version: version}
}

// newToken is 256 bits of chance.
func newToken() string {
	var b [32]byte
	rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// writeRegistry replaces the registry, whatever was there: the lock says that it is ours.
func writeRegistry(runtime string, reg api.Registry) error {
	data, err := json.MarshalIndent(reg, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the registry: %w", err)
	}
	// CreateTemp opens with O_EXCL and mode 0600, so nobody can have the file, or a link in its
	// place, before us.
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

// registryBytes bounds the registry; a real one has some hundred bytes.
const registryBytes = 64 << 10

func readRegistry(runtime string) (api.Registry, error) {
	var reg api.Registry
	data, err := ownfile.Read(filepath.Join(runtime, api.FileRegistry), registryBytes)
	if err != nil {
		return reg, err
	}
	return reg, json.Unmarshal(data, &reg)
}

// LeftGiven are the flags of a daemon that was killed, where none is going: one that ends in good order
// takes its registry away.
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

// alive reports whether the registry's process exists and is the one that wrote it: same boot,
// same start time. It only serves to word a message; nobody is signalled.
func alive(reg api.Registry) bool {
	return reg.PID > 0 && reg.BootID == bootID() && exists(reg.PID) && startTime(reg.PID) == reg.StartTime
}
