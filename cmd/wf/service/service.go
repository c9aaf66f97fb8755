// Package service makes the daemon a service of the user, which the system starts at login or boot: a unit of systemd, or an
// agent of launchd. It writes their definitions and calls their programs.
package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"wf/executor/ownfile"
)

// A Daemon is what a service starts.
type Daemon struct {
	Argv []string // the absolute path of the program, and its arguments
	Env  []string // KEY=VALUE; the service manager adds its own variables
}

// A Manager is the program that keeps services: systemd or launchd.
type Manager struct {
	Name string // for people
	// Path is the file of the service, and Program what wf calls.
	Path, Program string

	// argument and variable are an argument of the program and a variable, as the file contains them.
	argument, variable func(string) string

	text    func(Daemon) string // the content of the file
	replace [][]string          // arguments of Program, before a file is replaced; an error does not matter
	install [][]string          // likewise, once the file is in place
	remove  [][]string          // likewise, before the file is removed
	forget  [][]string          // after that
	start   []string            // starts the installed service, and returns when the daemon answers; nil = it cannot be waited for
	probe   []string            // fails where the manager does not serve this user
	missing string              // what to do then
}

// mark is in each file that this package writes.
const mark = "Written by wf server install; wf server uninstall removes it."

// maxFile bounds how many bytes of a file are read. A unit of ours is far smaller.
const maxFile = 1 << 20

// Text returns the definition of the service.
func (m *Manager) Text(d Daemon) string { return m.text(d) }

// Installed reports whether the file of the service exists. It returns an error if the file is not ours.
func (m *Manager) Installed() (bool, error) {
	_, installed, err := m.read()
	return installed, err
}

// Starts reports whether the service is installed, and starts this program with this variable (KEY=VALUE).
func (m *Manager) Starts(program, variable string) bool {
	text, installed, err := m.read()
	return err == nil && installed && bytes.Contains(text, []byte(m.argument(program))) && bytes.Contains(text, []byte(m.variable(variable)))
}

func (m *Manager) read() (text []byte, installed bool, err error) {
	text, err = ownfile.Read(m.Path, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, nil
	case err != nil:
		return nil, false, err
	case !bytes.Contains(text, []byte(mark)):
		return nil, false, fmt.Errorf("%s was not written by wf: move it away", m.Path)
	}
	return text, true, nil
}

// Available returns an error with the way out if the manager does not serve this user.
func (m *Manager) Available(ctx context.Context) error {
	if _, err := m.path(); err != nil {
		return fmt.Errorf("%s is not here; %s", m.Program, m.missing)
	}
	if err := m.call(ctx, m.probe); err != nil {
		return fmt.Errorf("%s does not serve you here (%w); %s", m.Name, err, m.missing)
	}
	return nil
}

// Install writes the service, makes the system start it from now on, and starts it. It replaces an earlier one.
func (m *Manager) Install(ctx context.Context, d Daemon) error {
	installed, err := m.Installed()
	if err != nil {
		return err
	}
	if installed {
		_ = m.callAll(ctx, m.replace)
	}
	if err := os.MkdirAll(filepath.Dir(m.Path), 0o755); err != nil {
		return err
	}
	if err := ownfile.Replace(m.Path, []byte(m.text(d)), false); err != nil {
		return err
	}
	return m.callAll(ctx, m.install)
}

// Uninstall stops the service, and removes it. The runs of its daemon continue.
func (m *Manager) Uninstall(ctx context.Context) error {
	err := m.callAll(ctx, m.remove) // the file goes even if the service was not known
	if gone := os.Remove(m.Path); gone != nil {
		return errors.Join(err, gone)
	}
	return errors.Join(err, m.callAll(ctx, m.forget))
}

// Start starts the installed service. It returns when the daemon answers.
func (m *Manager) Start(ctx context.Context) error { return m.call(ctx, m.start) }

// CanStart reports whether Start works with this manager.
func (m *Manager) CanStart() bool { return m.start != nil }

func (m *Manager) callAll(ctx context.Context, calls [][]string) error {
	for _, args := range calls {
		if err := m.call(ctx, args); err != nil {
			return err
		}
	}
	return nil
}

// path returns the path of the program of the manager. A daemon and its runners have no PATH.
func (m *Manager) path() (string, error) {
	path, err := exec.LookPath(m.Program)
	for _, dir := range []string{"/usr/bin", "/bin"} {
		if err != nil {
			path, err = exec.LookPath(filepath.Join(dir, m.Program))
		}
	}
	return path, err
}

// call executes the program of the manager. The error contains what it printed.
func (m *Manager) call(ctx context.Context, args []string) error {
	path, err := m.path()
	if err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, path, args...).CombinedOutput()
	if err == nil {
		return nil
	}
	said := strings.Join(strings.Fields(string(out)), " ")
	if said == "" {
		said = err.Error()
	}
	return fmt.Errorf("%s %s: %s", m.Program, strings.Join(args, " "), said)
}
