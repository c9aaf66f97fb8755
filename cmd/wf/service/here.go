package service

import (
	"os"
	"path/filepath"
	"runtime"
)

// Here returns the service manager of this machine, which may be missing: see Available. get returns a variable of the
// environment.
func Here(get func(string) string) *Manager {
	home := get("HOME")
	if runtime.GOOS == "darwin" {
		return Launchd(home, os.Getuid())
	}
	config := get("XDG_CONFIG_HOME")
	if !filepath.IsAbs(config) {
		config = filepath.Join(home, ".config")
	}
	return Systemd(config)
}
