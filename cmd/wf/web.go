package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"wf/client"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/settings"
	"wf/tui/words"
	"wf/web"
)

// webCommand is the name of the command that serves the web page.
const webCommand = "web"

// webOptions are the flags of web.
type webOptions struct {
	listen   string
	noOpen   bool
	readOnly bool
	detach   bool
	stop     bool
	serve    bool // by wf web -d: serve only
}

func newWeb(e *env) *cobra.Command {
	o := &webOptions{}
	cmd := &cobra.Command{
		Use: "web [FILE]",
		Long: `Web shows workfiles in a browser: their graphs, runs and outputs, live. It serves the page on a
loopback port of this machine and opens it; without a display it prints the address. The address
works once, for ten minutes. wf web prints another one, also while the page is served. Ctrl-C ends
the page, and never a run.

With --read-only, the page can change nothing, and with FILE it shows no other workfile. With
wf --host, the page shows another machine. See docs/web.md.`,
		Example: `  wf web
  wf web release.graphml
  wf web -d --no-open                   print the address, and stay in the background
  wf web --read-only release.graphml    to show it to others
  wf web --stop`,
		Args: nargs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(cmd); err != nil {
				return err
			}
			return o.run(cmd.Context(), e, first(args))
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:0", "serve the page at the loopback `ADDRESS:PORT`; port 0 = any free one")
	f.BoolVar(&o.noOpen, "no-open", false, "print the address instead of opening a browser")
	f.BoolVar(&o.readOnly, "read-only", false, "the page can change nothing")
	f.BoolVarP(&o.detach, "detach", "d", false, "serve the page in the background")
	f.BoolVar(&o.stop, "stop", false, "end the page that is served")
	f.BoolVar(&o.serve, "serve", false, "serve only")
	_ = f.MarkHidden("serve")
	return cmd
}

func (o *webOptions) check(cmd *cobra.Command) error {
	if o.stop && (o.detach || o.readOnly || o.noOpen || cmd.Flags().Changed("listen") || cmd.Flags().NArg() > 0) {
		return exit.Usage("--stop cannot be combined with other flags or a file")
	}
	if err := web.CheckAddress(o.listen); err != nil {
		f := exit.Usage("--listen: %s", err)
		f.Fix = exit.Describe(err).Fix
		return f
	}
	return nil
}

func (o *webOptions) run(ctx context.Context, e *env, file string) error {
	p, err := newWebPage(e)
	if err != nil {
		return err
	}
	switch {
	case o.stop:
		return p.stop(ctx)
	case o.serve:
		return p.serve(ctx, o.listen, func(*web.Server) {})
	}
	visit, err := p.visit(ctx, file)
	if err != nil {
		return err
	}
	visit.ReadOnly = o.readOnly
	address, state, err := web.AskInvite(ctx, p.socket, visit)
	if errors.Is(err, web.ErrNotRunning) && o.detach {
		if err = p.start(ctx, o.listen); err == nil {
			address, state, err = web.AskInvite(ctx, p.socket, visit)
		}
	}
	if errors.Is(err, web.ErrNotRunning) {
		return p.serve(ctx, o.listen, func(s *web.Server) {
			p.show(s.Invite(visit), o.noOpen)
			fmt.Fprintln(e.Stderr, "Ctrl-C ends the page; runs continue")
		})
	}
	if err != nil {
		return err
	}
	if wanted := "http://" + o.listen; o.listen != "127.0.0.1:0" && state.Origin != wanted {
		return &exit.Failure{Status: exit.Busy, What: "the page is served already, at " + state.Origin, Fix: "wf web --stop, then again"}
	}
	p.show(address, o.noOpen)
	fmt.Fprintf(e.Stderr, "served by pid %d; wf web --stop ends it\n", state.PID)
	return nil
}

// A webPage is the page of a machine: this one, or that of --host.
type webPage struct {
	e      *env
	m      *machine // nil = this machine
	dirs   settings.Folders
	socket string // by which its server is found
}

func newWebPage(e *env) (*webPage, error) {
	dirs, err := e.folders()
	if err != nil {
		return nil, err
	}
	p := &webPage{e: e, m: e.far, dirs: dirs, socket: filepath.Join(dirs.Runtime, "web.sock")}
	if p.m != nil {
		sum := fnv.New64a()
		_, _ = sum.Write([]byte(p.m.Machine())) // never fails
		p.socket = filepath.Join(dirs.Runtime, "web-"+strconv.FormatUint(sum.Sum64(), 36)+".sock")
	}
	return p, nil
}

// visit returns what an address allows: the file, and the environment and settings of this shell for runs.
func (p *webPage) visit(ctx context.Context, file string) (v web.Visit, err error) {
	if p.m != nil {
		setup, err := p.m.setup(ctx, file)
		return web.Visit{File: setup.Path, Request: setup.Request}, err
	}
	if v.File, err = p.e.tuiFile(file); err != nil {
		return v, err
	}
	if v.Request, err = p.e.usualRun(v.File); err != nil {
		return v, err
	}
	v.Request.User = p.e.User()
	return v, nil
}

// options returns the services of the server.
func (p *webPage) options(ctx context.Context) (web.Options, error) {
	opt := web.Options{Version: version(), Connect: func(ctx context.Context, start bool, lost func(error)) (*client.Client, error) {
		return p.e.connectTUI(ctx, start, lost, func(string) {})
	}}
	recent := p.e.recentWorkfiles
	if p.m != nil {
		setup, err := p.m.setup(ctx, "")
		if err != nil {
			return opt, err
		}
		opt.Machine = p.m.name
		opt.Connect = func(ctx context.Context, start bool, lost func(error)) (*client.Client, error) {
			return p.m.connectTUI(ctx, setup, start, lost, func(string) {})
		}
		recent = p.m.recentWorkfiles(setup.Recent)
	}
	opt.Workfiles = func() (list []web.Workfile) {
		for _, r := range recent() {
			list = append(list, web.Workfile{Path: r.Path, Run: r.Run, Result: r.Result, When: r.When})
		}
		return list
	}
	return opt, nil
}

// serve serves the page until Ctrl-C, SIGTERM or wf web --stop. ready is called when browsers can connect.
func (p *webPage) serve(ctx context.Context, listen string, ready func(*web.Server)) error {
	opt, err := p.options(ctx)
	if err != nil {
		return err
	}
	control, err := web.NewControl(p.socket)
	if errors.Is(err, web.ErrRunning) { // it was started at the same time
		return &exit.Failure{Status: exit.Busy, What: "the page is being served or started already", Fix: "wf web"}
	}
	if err != nil {
		return err
	}
	listener, err := web.Listen(listen)
	if err != nil {
		control.Close()
		return &exit.Failure{Status: exit.Daemon, What: "cannot serve the page at " + listen, Why: words.Error(err), Fix: "choose another port with --listen, or none for any free one"}
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer stop()
	server := web.New(listener, opt)
	var group sync.WaitGroup
	var failed error
	group.Go(func() { p.e.Guard(func() { failed = control.Serve(ctx, server, stop) }) })
	ready(server)
	err = server.Serve(ctx, listener)
	stop()
	group.Wait()
	os.Remove(p.handover()) // its address is void now
	return errors.Join(err, failed)
}

// startTime bounds the start of a server in the background; with --host, ssh may have to log in.
const startTime = 60 * time.Second

// start starts a server in the background and returns when it answers.
func (p *webPage) start(ctx context.Context, listen string) error {
	argv, env, err := p.program()
	if err != nil {
		return err
	}
	log := filepath.Join(p.dirs.State, "web.log")
	ended, err := client.Detached(append(argv, webCommand, "--serve", "--listen", listen), env, log)(ctx)
	if err != nil {
		return err
	}
	end := time.After(startTime)
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, 200*time.Millisecond) {
		if err := web.AskState(ctx, p.socket); !errors.Is(err, web.ErrNotRunning) {
			return err
		}
		select {
		case <-ended:
			return &exit.Failure{Status: exit.Daemon, What: "the page ended at its start", Fix: "see the end of " + words.Quote(log)}
		case <-end:
			return &exit.Failure{Status: exit.Daemon, What: "the page did not answer within a minute", Fix: "see the end of " + words.Quote(log)}
		case <-time.After(wait):
		}
	}
}

// stop ends the server.
func (p *webPage) stop(ctx context.Context) error {
	state, err := web.AskStop(ctx, p.socket)
	if errors.Is(err, web.ErrNotRunning) {
		fmt.Fprintln(p.e.Stderr, "no page is served")
		return nil
	}
	if err == nil {
		fmt.Fprintf(p.e.Stderr, "the page has ended (pid %d)\n", state.PID)
	}
	return err
}

// usesWeb reports whether arguments are those of web, which works here also for another machine.
func usesWeb(args []string) bool {
	return first(commandWords(args)) == webCommand
}
