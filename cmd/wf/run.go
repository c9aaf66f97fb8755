package main

import (
	"cmp"
	"context"
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
	"wf/cmd/wf/report"
	"wf/cmd/wf/settings"
	"wf/executor/procattr"
)

const runHelp = `Run executes the nodes of a workfile in the daemon, independent nodes in parallel, and shows
the progress. If nodes failed in the last run, it resumes that run: nodes that succeeded are kept.
The run continues if the terminal is closed. Ctrl-C stops the run, and a second Ctrl-C kills it;
d detaches from it.

On a terminal the progress is redrawn in the last rows. In a pipe, in CI, in the background and on
a terminal that is too small it is printed as plain lines; --progress overrides this. --output auto
means failed (the end of the output of failed nodes), and in CI grouped (all output).

A selector is a list of: NODE, +NODE (with everything upstream), NODE+ (with everything
downstream), s:failed (by state), g:align (by group).

Without FILE, run uses ./Workfile, even inside a command of another run. Commands that only show or
answer something (status, ls, logs, why, out, kv, approve …) use the workfile of that run instead.`

const exitHelp = `

EXIT STATUS
  0    every node that had to run succeeded, or there was nothing to do
  1    the run ended with failed nodes
  2    usage: unknown command, flag or node
  3    the workfile cannot be used
  4    the daemon cannot be started or reached, or another error
  5    --approval fail: a node waits for a person
  6    another command stopped the run
  7    an active run has the nodes
  124  --timeout
  130  stopped by SIGINT of this command, 143 by SIGTERM; 129 detached by SIGHUP`

// runOptions are the flags of run and resume.
type runOptions struct {
	file           string
	nodes, exclude []string
	fresh          bool
	mode           string // of api.RunRequest
	jobs           *int   // nil = not given
	wrapper        string
	executor       string
	profile        string // its name
	env            []string
	envFiles       []string // of KEY=VALUE lines
	failFast       bool
	noCache        bool
	timeout, grace time.Duration
	acceptDrawing  bool
	interrupt      string // what Ctrl-C does
	approval       string // what happens when a node waits for a person
	detach, dryRun bool
	controlOptions
	showOptions
}

// showOptions are the flags of all commands that show the progress of a run.
type showOptions struct {
	progress.Options
	reports []report.File
	traced  bool // -vv
}

func newRun(e *env) *cobra.Command {
	o := &runOptions{}
	cmd := &cobra.Command{
		Use:  "run [FILE]",
		Long: runHelp + exitHelp,
		Example: `  wf run                          run ./Workfile
  wf run --nodes 'align+'         run align and everything after it from scratch
  wf run --fresh -j 4             run everything again, four commands at a time
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
	cmd.Flags().BoolVar(&o.fresh, "fresh", false, "run everything again, even if nodes have failed")
	return cmd
}

func newResume(e *env) *cobra.Command {
	o := &runOptions{mode: api.ModeResume}
	cmd := &cobra.Command{
		Use: "resume [FILE]",
		Long: `Resume runs the failed nodes again and continues from there. Nodes that succeeded are kept.
If there is nothing to resume it says so and ends with status 0.`,
		Example: `  wf resume                       after fixing what was wrong`,
		Args:    nargs(0, 1),
		RunE:    func(cmd *cobra.Command, args []string) error { return o.start(cmd, e, args) },
	}
	o.addFlags(cmd)
	return cmd
}

// addFlags adds the flags of run and resume.
func (o *runOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	fileFlag(cmd, &o.file, "f")
	o.addScopeFlags(f)
	f.StringArrayVar(&o.env, "env", nil, "set `KEY=VALUE` for the commands (repeatable); for secrets use --env-file, because all users can read command lines")
	f.StringArrayVar(&o.envFiles, "env-file", nil, "set the KEY=VALUE lines of `ENVFILE` for the commands; - is standard input; --env takes precedence (repeatable)")
	timeVar(f, &o.timeout, "timeout", 0, "stop the run after this `TIME`")
	timeVar(f, &o.grace, "grace", 10*time.Second, "`TIME` between TERM and KILL when the run is stopped")
	o.interrupt = progress.InterruptCancel
	f.Var(&choice{&o.interrupt, settings.InterruptWords}, "interrupt", "what Ctrl-C does: cancel the run, detach from it, or ask")
	o.approval = progress.ApprovalAuto
	f.Var(&choice{&o.approval, progress.ApprovalWords}, "approval", "if a node waits for a person: ask here, wait, or fail with status 5; auto asks on a terminal")
	f.BoolVarP(&o.detach, "detach", "d", false, "start the run, print its number and return")
	f.BoolVar(&o.dryRun, "dry-run", false, "print what would run and why, without running it")
	o.showOptions.addFlags(f)
}

// addScopeFlags adds the flags of run, resume and plan: what runs, and how.
func (o *runOptions) addScopeFlags(f *pflag.FlagSet) {
	f.StringArrayVar(&o.nodes, "nodes", nil, "run only the nodes of `SEL`, from scratch (repeatable)")
	f.StringArrayVar(&o.exclude, "exclude", nil, "leave out the nodes of `SEL` (repeatable)")
	f.FuncP("jobs", "j", "run `N` commands at once; 0 = no limit (default: the slots that all runs of this machine share, see wf doctor)", o.setJobs)
	f.StringVar(&o.wrapper, "wrapper", "", "the `TEMPLATE` around every command; {} is the command")
	f.StringVar(&o.executor, "executor", "", "run the nodes that name none with `EXECUTOR`: local, or one of the configuration (wf help executors)")
	f.StringVar(&o.profile, "profile", "", "run with the parameters and attributes of `PROFILE` (wf help profiles)")
	f.BoolVar(&o.failFast, "fail-fast", false, "stop everything at the first failure")
	f.BoolVar(&o.noCache, "no-cache", false, "execute also nodes that are up to date (wf help up-to-date)")
	o.controlOptions.addFlags(f)
	f.BoolVar(&o.acceptDrawing, "accept-drawing", false, "run the texts of a drawing as commands; wf remembers this")
}

// setJobs sets the value of --jobs, which is nil if the flag is not given.
func (o *runOptions) setJobs(text string) error {
	n, err := strconv.Atoi(text)
	switch {
	case err != nil:
		return errors.New("must be a whole number")
	case n < 0:
		return errors.New("must not be negative")
	}
	o.jobs = &n
	return nil
}

// addFlags adds the flags of showOptions.
func (o *showOptions) addFlags(f *pflag.FlagSet) {
	o.Progress, o.Output, o.Timestamps, o.CI = "auto", "auto", "auto", "auto"
	f.Var(&choice{&o.Progress, settings.ProgressWords}, "progress", "progress: auto, inline, plain or none")
	f.Var(&choice{&o.Output, settings.OutputWords}, "output", "output of the nodes: auto, none, failed, grouped or stream")
	f.Var(&choice{&o.Timestamps, []string{"auto", "off", "rel", "iso"}}, "timestamps",
		"the time before each line of progress: off, rel (since the start), iso; auto is the time of day in a log")
	f.BoolVar(&o.Raw, "raw", false, "write exact bytes of node output to a terminal, too: only for output that you trust")
	f.Var(&choice{&o.CI, ci.Systems}, "ci", "fold node output and annotate failures for: "+strings.Join(ci.Systems, ", "))
	f.Func("report", "write a report at the end of the run, `KIND=FILE`: junit, md or json (repeatable)", func(text string) error {
		file, err := report.ParseFile(text)
		o.reports = append(o.reports, file)
		return err
	})
	f.BoolVar(&o.JSON, "json", false, "print every event as a line of JSON on standard output, and nothing else")
	f.BoolVarP(&o.Quiet, "quiet", "q", false, "show only failures and the result")
	f.BoolFuncP("verbose", "v", "also show starts; -vv also logs messages to and from the daemon to a file", o.setVerbose)
}

// check refuses contradictory flags.
func (o *runOptions) check() error {
	switch {
	case o.mode == api.ModeResume && len(o.nodes) > 0:
		return exit.Usage("--nodes runs nodes from scratch: it cannot be used with wf resume")
	case (o.detach || o.dryRun) && len(o.reports) > 0:
		return exit.Usage("--report is written at the end of the run: it cannot be used with --detach or --dry-run")
	case o.detach && (o.approval == progress.ApprovalAsk || o.approval == progress.ApprovalFail):
		return exit.Usage("--approval %s cannot be used with --detach, because the command ends before a node can wait", o.approval)
	case o.detach && o.dryRun:
		return exit.Usage("--detach and --dry-run cannot be combined")
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
		return exit.Usage("--output %s cannot be used with --json, which prints events on standard output", o.Output)
	}
	if o.Quiet && o.Verbose {
		return exit.Usage("--quiet and --verbose cannot be combined")
	}
	return nil
}

// request returns the request to the daemon.
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
		NoCache:       o.noCache,
		Executor:      o.executor,
		TimeoutMS:     o.timeout.Milliseconds(),
		GraceMS:       millis(flags, "grace", o.grace),
		User:          e.User(),
		AcceptDrawing: o.acceptDrawing,
		Notify:        e.notify,
		Defaults:      e.defaults,
	}
	if o.profile != "" {
		var err error
		if req.Profile, err = settings.RunProfile(&e.Console, e.trust, e.Abs(cmp.Or(o.file, defaultWorkfile)), o.profile); err != nil {
			return api.RunRequest{}, err
		}
	}
	if !o.dryRun {
		req.World = procattr.Own().Encode()
	}
	if flags.Changed("wrapper") {
		req.Wrapper = &o.wrapper
	}
	err := o.fill(e, &req)
	return req, err
}

// start runs the command run or resume.
func (o *runOptions) start(cmd *cobra.Command, e *env, args []string) error {
	if err := fileArg(cmd, &o.file, args); err != nil {
		return err
	}
	if err := o.check(); err != nil {
		return err
	}
	if err := report.CheckFiles(&e.Console, o.reports); err != nil {
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
	return e.open(cmd.Context(), o.file, func(ctx context.Context, e *env, s *target) error {
		run := o.startAttached
		if o.detach {
			run = o.startDetached
		}
		for {
			err := run(ctx, e, s, req)
			asked, failed := o.ask(ctx, e, s, &req, err)
			if failed != nil || !asked {
				return cmp.Or(failed, err)
			}
		}
	})
}

// ask asks the user, depending on err, whether to repeat everything, or for missing parameters.
func (o *runOptions) ask(ctx context.Context, e *env, s *target, req *api.RunRequest, err error) (asked bool, _ error) {
	if exit.IsCode(err, api.CodeDone) {
		return e.askRepeat(req, err)
	}
	if o.JSON || o.Quiet {
		return false, nil
	}
	return e.askParams(ctx, s, req, err)
}

// startDetached starts the run and returns.
func (o *runOptions) startDetached(ctx context.Context, e *env, s *target, req api.RunRequest) error {
	v := progress.NewDisplay(&e.Console, &s.Target, o.Options)
	defer v.Close()
	req.Detached = true
	accepted, err := s.StartRun(ctx, req, v.Queued)
	if err != nil {
		return err
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

// startAttached starts the run and follows it until its end. It subscribes before it starts the run: the snapshot
// proves that no event will be missed.
func (o *runOptions) startAttached(ctx context.Context, e *env, s *target, req api.RunRequest) error {
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
