package main

import (
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"wf/cmd/wf/settings"
	"wf/executor/ownfile"
)

// program returns this program with the arguments that select the machine, and the environment of a server in the background.
func (p *webPage) program() (argv, env []string, err error) {
	program, err := os.Executable()
	if err != nil {
		return nil, nil, fmt.Errorf("find the program of the page: %w", err)
	}
	if p.m != nil { // ssh needs its agent
		return []string{program, hostFlagName, p.m.Machine()}, p.e.Environ, nil
	}
	return []string{program, hostFlagName, settings.LocalHost}, p.e.daemonVars(p.dirs), nil
}

// show opens an address in the browser, or prints it.
func (p *webPage) show(address string, noOpen bool) {
	e := p.e
	where, _, _ := strings.Cut(address, "#")
	if opener := p.opener(); opener != "" && !noOpen {
		if err := p.open(opener, address); err == nil {
			fmt.Fprintf(e.Stderr, "opened %s in your browser; if it does not appear: %s\n", where, address)
			return
		}
	}
	fmt.Fprintln(e.Stdout, address)
}

// opener returns the program that opens addresses, or "" if nobody would see the browser.
func (p *webPage) opener() string {
	name := "xdg-open"
	switch {
	case runtime.GOOS == "darwin" && p.e.Get("SSH_CONNECTION") == "":
		name = "open"
	case p.e.Get("DISPLAY") == "" && p.e.Get("WAYLAND_DISPLAY") == "":
		return ""
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	return path
}

// handover returns the path of the file that leads a browser to the page.
func (p *webPage) handover() string { return filepath.Join(p.dirs.Runtime, "web-open.html") }

// open opens an address. Other users can read the arguments of processes, so the browser gets a file instead, which only
// this user can read and which leads to the address.
func (p *webPage) open(opener, address string) error {
	path := p.handover()
	to := html.EscapeString(address)
	text := `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>wf</title>` +
		`<meta http-equiv="refresh" content="0; url=` + to + `"><a href="` + to + `">wf</a>` + "\n"
	if err := ownfile.Replace(path, []byte(text), false); err != nil {
		return err
	}
	return exec.Command(opener, path).Run()
}
