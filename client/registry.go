package client

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"wf/api"
)

// readRegistry reads the registry. A missing or damaged registry means that no daemon is running. A registry that other
// users could have written is a separate error, because the client sends the environment of every run to that address.
func readRegistry(runtime string) (api.Registry, error) {
	path := filepath.Join(runtime, api.FileRegistry)
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return api.Registry{}, errNoDaemon
	}
	if err != nil {
		return api.Registry{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return api.Registry{}, err
	}
	if err := checkRegistry(path, info, os.Geteuid()); err != nil {
		return api.Registry{}, err
	}
	var reg api.Registry
	data, err := io.ReadAll(io.LimitReader(f, api.MaxRegistry))
	if err != nil || decode(data, &reg) != nil || reg.Socket == "" {
		return api.Registry{}, errNoDaemon
	}
	return reg, nil
}

// checkRegistry checks owner and mode of the registry for the user uid.
func checkRegistry(path string, info fs.FileInfo, uid int) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", path)
	case !ok || int(stat.Uid) != uid:
		return fmt.Errorf("%s belongs to another user", path)
	case info.Mode().Perm()&0o077 != 0:
		return &ExposedError{Path: path, Mode: info.Mode().Perm()}
	}
	return nil
}
