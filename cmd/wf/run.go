package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"wf/api"
	"wf/cmd/wf/ci"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/progress"
	"wf/executor/procattr"
)

const runHelp = `Run executes what can run, in parallel, in the daemon, and shows what happens. When nodes
have failed it resumes: what succeeded is kept. Closing the terminal changes nothing;
Ctrl-C stops the run, a second one kills at once; d leaves it to the daemon.

On a terminal the last rows are redrawn. Where that would do harm (in a pipe, in CI, in the
background, on a terminal that is too small) progress is plain lines; --progress decides.
--output auto is failed: the end of what failed; in CI it is grouped: everything.

A selector is a list of: NODE, +NODE (with everything upstream), NODE+ (with everything
downstream), s:failed (by state), g:align (by group).

Without FILE, run means ./Workfile, in a command of a run too: a command that has gone to another
folder means the workfile there, and the run that it belongs to has its nodes already. Commands
that only look or answer (status, ls, logs, why, out, kv, approve …) mean the workfile of their run.`

const exitHelp = `

EXIT STATUS
  0    every node that had to run succeeded, or nothing was to do
  1    the run ended with failed nodes
  2    usage: unknown command, flag or node
  3    the workfile cannot be used
  4    the daemon cannot be started or reached, or wf cannot do something else
  5    --approval fail: a node waits for a person
  6    the run was stopped by somebody else
  7    the nodes belong to a run that is going
  124  --timeout
  130  stopped by SIGINT, 143 by SIGTERM, of this command; 129 left behind by SIGHUP`

// runOptions are the flags of run and resume.
type runOptions struct {
	file           string
	nodes, exclude []string
	fresh          bool
	mode           string // of api.RunRequest, decided by command and flags
	jobs           *int   // nil = not given
	wrapper        string
	env            []string
	envFiles       []string // of KEY=VALUE lines
	failFast       bool
	timeout, grace time.Duration
	acceptDrawing  bool
	interrupt      string // what Ctrl-C does
	approval       string // what happens when a node waits for a person
	detach, dryRun bool
	controlOptions
	showOptions
}

// showOptions are the flags of all commands that show a run while it goes.
type showOptions struct {
	progress.Options
	reports []report
	traced  bool // -vv
}

func newRun(e *env) *cobra.Command {
	o := &runOptions{}
	cmd := &cobra.Command{
		Use:   "run [FILE]",
		Short: "Run a workfile, or resume it after a failure",
		Long:  runHelp + exitHelp,
		Example: `  wf run                          run ./Workfile
  wf run --nodes 'align+'         align and everything after it, from scratch
  wf run --fresh -j 4             everything again, four at a time
  wf run -d                       start it and return`,
		Args: nargs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.fresh {
				o.mode = api.ModeFresh
			}
			return o.start(cmd, e, args)
		},
	}
	o.addFlags(cmd)
	cmd.Flags().BoolVar(&o.fresh, "fresh", false, "run everything again, even when nodes have failed")
	return cmd
}

func newResume(e *env) *cobra.Command {
	o := &runOptions{mode: api.ModeResume}
	cmd := &cobra.Command{
		Use:   "resume [FILE]",
		Short: "Run again what failed and what waited for it",
		Long: `Resume runs the failed nodes again and goes on from there; what succeeded is kept.
With nothing to resume it says so and ends with status 0.`,
		Example: `  wf resume                       after mending what was wrong`,
		Args:    nargs(0, 1),
		RunE:    func(cmd *cobra.Command, args []string) error { return o.start(cmd, e, args) },
	}
	o.addFlags(cmd)
	return cmd
}

// addFlags adds the flags that run and resume share.
func (o *runOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	fileFlag(cmd, &o.file, "f")
	o.addScopeFlags(f)
	f.StringArrayVar(&o.env, "env", nil, "set `KEY=VALUE` for the commands (repeatable); for secrets --env-file, since everybody can read command lines")
	f.StringArrayVar(&o.envFiles, "env-file", nil, "set the KEY=VALUE lines of `ENVFILE` for the commands, - is standard input; --env wins (repeatable)")
	timeVar(f, &o.timeout, "timeout", 0, "stop the run after this `TIME`")
	timeVar(f, &o.grace, "grace", 10*time.Second, "`TIME` from TERM to KILL when the run is stopped")
	o.interrupt = progress.InterruptCancel
	f.Var(&choice{&o.interrupt, interruptWords}, "interrupt", "what Ctrl-C does: cancel the run, detach or ask")
	o.approval = progress.ApprovalAuto
	f.Var(&choice{&o.approval, progress.ApprovalWords}, "approval", "when a node waits for a person: ask here, wait, or fail with status 5; auto asks on a terminal")
	f.BoolVarP(&o.detach, "detach", "d", false, "start the run, print its number and return")
	f.BoolVar(&o.dryRun, "dry-run", false, "print what would run and why, and run nothing")
	o.showOptions.addFlags(f)
}

// addScopeFlags adds the flags that decide what runs and how, which plan has too.
func (o *runOptions) addScopeFlags(f *pflag.FlagSet) {
	f.StringArrayVar(&o.nodes, "nodes", nil, "run only what the `SEL` names, from scratch (repeatable)")
	f.StringArrayVar(&o.exclude, "exclude", nil, "leave out what the `SEL` names (repeatable)")
	f.VarP(jobsFlag{&o.jobs}, "jobs", "j", "`N` commands at once; 0 = no limit; not given: what the machine has for all runs together, see wf doctor")
	f.StringVar(&o.wrapper, "wrapper", "", "`TEMPLATE` around every command, {} is the command")
	f.BoolVar(&o.failFast, "fail-fast", false, "stop everything at the first failure")
	o.controlOptions.addFlags(f)
	f.BoolVar(&o.acceptDrawing, "accept-drawing", false, "run commands that are only texts of a drawing; it is remembered")
}

// jobsFlag is the value of --jobs: not to give it is not the same as 0.
type jobsFlag struct{ n **int }

func (f jobsFlag) String() string {
	if f.n == nil || *f.n == nil {
		return ""
	}
	return strconv.Itoa(**f.n)
}

// Type is the word for the value in the help.
func (f jobsFlag) Type() string { return "N" }

// Set reads a number.
func (f jobsFlag) Set(text string) error {
	n, err := strconv.Atoi(text)
	switch {
	case err != nil:
		return errors.New("must be a whole number")
	case n < 0:
		return errors.New("must not be negative")
	}
	*f.n = &n
	return nil
}

// The words that flags of showOptions take.
var (
	progressWords = []string{"auto", "inline", "plain", "none"}
	outputWords   = []string{"auto", "none", "failed", "grouped", "stream"}
)

// addFlags adds the flags that decide what is shown.
func (o *showOptions) addFlags(f *pflag.FlagSet) {
	o.Progress, o.Output, o.Timestamps, o.CI = "auto", "auto", "auto", "auto"
	f.Var(&choice{&o.Progress, progressWords}, "progress", "progress: auto, inline, plain or none")
	f.Var(&choice{&o.Output, outputWords}, "output", "output of the nodes: auto, none, failed, grouped or stream")
	f.Var(&choice{&o.Timestamps, []string{"auto", "off", "rel", "iso"}}, "timestamps",
		"before each line of progress: off, rel (since the start), iso; auto is the time of day in a log")
	f.BoolVar(&o.Raw, "raw", false, "exact bytes of node output to a terminal too: only for output that you trust")
	f.Var(&choice{&o.CI, ci.Systems}, "ci", "fold node output and annotate failures for: "+strings.Join(ci.Systems, ", "))
	f.Var(&reportsFlag{&o.reports}, "report", "when the run is over, write `KIND=FILE`: junit, md or json (repeatable)")
	f.BoolVar(&o.JSON, "json", false, "print every event as a line of JSON, and nothing else, on standard output")
	f.BoolVarP(&o.Quiet, "quiet", "q", false, "show failures and the result only")
	f.VarP(&verbosity{o}, "verbose", "v", "show starts too; -vv: and write the conversation with the daemon to a file")
	f.Lookup("verbose").NoOptDefVal = "true"
}

// check finds contradictions before anything is done.
func (o *runOptions) check(flags *pflag.FlagSet) error {
	switch {
	case o.mode == api.ModeResume && len(o.nodes) > 0:
		return exit.Usage("--nodes names what to run from scratch: it cannot be resumed")
	case (o.detach || o.dryRun) && len(o.reports) > 0:
		return exit.Usage("--report is written when the run is over: it goes with neither --detach nor --dry-run")
	case o.detach && (o.approval == progress.ApprovalAsk || o.approval == progress.ApprovalFail):
		return exit.Usage("--approval %s is for a command that stays: it goes not with --detach", o.approval)
	case o.detach && o.dryRun:
		return exit.Usage("--detach and --dry-run exclude each other")
	}
	for _, assignment := range o.env {
		if key, _, ok := strings.Cut(assignment, "="); !ok || key == "" {
			return exit.Usage("--env %s: must be KEY=VALUE", assignment)
		}
	}
	return o.showOptions.check()
}

func (o *showOptions) check() error {
	if o.JSON && (o.Output == "grouped" || o.Output == "stream") {
		return exit.Usage("--json leaves standard output to the events: --output %s has no place", o.Output)
	}
	if o.Quiet && o.Verbose {
		return exit.Usage("--quiet and --verbose exclude each other")
	}
	return nil
}

// request says it in the words of the daemon.
func (o *runOptions) request(flags *pflag.FlagSet, e *env) (api.RunRequest, error) {
	var fromFiles []string
	for _, path := range o.envFiles {
		vars, err := e.envFile(path)
		if err != nil {
			return api.RunRequest{}, err
		}
		fromFiles = append(fromFiles, vars...)
	}
	req := api.RunRequest{
		Nodes:         o.nodes,
		Exclude:       o.exclude,
		Mode:          o.mode,
		Jobs:          o.jobs,
		Env:           slices.Concat(e.Environ, fromFiles, o.env),
		FailFast:      o.failFast,
		TimeoutMS:     o.timeout.Milliseconds(),
		GraceMS:       millis(flags, "grace", o.grace),
		User:          e.User(),
		AcceptDrawing: o.acceptDrawing,
		Defaults:      e.defaults.request(),
	}
	if !o.dryRun {
		if world, err := json.Marshal(procattr.Own()); err == nil {
			req.World = world
		}
	}
	if flags.Changed("wrapper") {
		req.Wrapper = &o.wrapper
	}
	err := o.fill(e, &req)
	return req, err
}

// start is the body of run and resume.
func (o *runOptions) start(cmd *cobra.Command, e *env, args []string) error {
	if err := fileArg(cmd, &o.file, args); err != nil {
		return err
	}
	if err := o.check(cmd.Flags()); err != nil {
		return err
	}
	if err := e.checkReports(o.reports); err != nil {
		return err
	}
	req, err := o.request(cmd.Flags(), e)
	if err != nil {
		return err
	}
	if o.dryRun {
		return showPlan(cmd.Context(), e, o.file, req, o.JSON, o.Verbose)
	}
	if err := e.checkFound(o.file, cmd.CommandPath()); err != nil {
		return err
	}
	req.AskRepeat = e.Interactive() && !o.JSON && o.mode == ""
	e.notes, e.traced = !o.Quiet, o.traced
	s, err := e.open(cmd.Context(), o.file)
	if err != nil {
		return err
	}
	defer s.close()
	for {
		if o.detach {
			err = o.startDetached(cmd.Context(), e, s, req)
		} else {
			err = o.startAttached(cmd.Context(), e, s, req)
		}
		asked, failed := o.ask(cmd.Context(), e, s, &req, err)
		if failed != nil || !asked {
			return cmp.Or(failed, err)
		}
	}
}

// ask asks, where people look on, whether everything is to be repeated, and for parameters that are missing.
func (o *runOptions) ask(ctx context.Context, e *env, s *session, req *api.RunRequest, err error) (asked bool, _ error) {
	if exit.IsCode(err, api.CodeDone) {
		return e.askRepeat(req, err)
	}
	if o.JSON || o.Quiet {
		return false, nil
	}
	return e.askParams(ctx, s, req, err)
}

// startDetached starts the run and leaves it to the daemon.
func (o *runOptions) startDetached(ctx context.Context, e *env, s *session, req api.RunRequest) error {
	v := progress.NewDisplay(&e.Console, &s.Target, o.Options)
	defer v.Close()
	req.Detached = true
	accepted, err := s.StartRun(ctx, req, v.Queued)
	if err != nil {
		return exit.AsConflict(err)
	}
	if accepted.Queued != "" {
		return v.DetachedQueued(accepted.Queued, o.JSON)
	}
	v.Accepted(accepted)
	if accepted.Run == "" {
		return nil
	}
	return v.Detached(accepted.Run, o.JSON)
}

// startAttached starts the run and stays until it is over. It watches before it starts: only
// the snapshot proves that no event will be missed.
func (o *runOptions) startAttached(ctx context.Context, e *env, s *session, req api.RunRequest) error {
	f, err := progress.Follow(ctx, &e.Console, &s.Target, o.Options)
	if err != nil {
		return err
	}
	defer f.Close()
	req.Caller = e.Caller()
	f.StopsRun, f.Grace, f.OnInterrupt, f.Approval = true, o.grace, o.interrupt, o.approval
	if req.GraceMS == nil {
		f.Grace = progress.DefaultGrace
	}
	f.OnEnd, f.ShowTUI = o.reportEnd(e, s), e.tuiOf(s)
	return f.StartRun(ctx, req)
}
