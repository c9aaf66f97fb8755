package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/client"
	"wf/cmd/wf/ci"
	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/progress"
	"wf/cmd/wf/settings"
	"wf/tui"
	"wf/tui/editor"
	"wf/tui/program"
	"wf/tui/words"
	"wf/workspace/history"
)

// openTUI shows the terminal interface for a workfile, or its home screen if path is "". When the user leaves it, wf
// prints that the watched run continues, or how it ended.
func (e *env) openTUI(ctx context.Context, path string) error {
	left, err := e.showTUI(ctx, path)
	if err != nil {
		return err
	}
	return e.reportLeft(ctx, left)
}

func (e *env) showTUI(ctx context.Context, path string) (tui.Left, error) {
	if err := e.needDaemon(""); err != nil {
		return tui.Left{}, err
	}
	req, err := e.usualRun(path)
	if err != nil {
		return tui.Left{}, err
	}
	return e.showTUIOf(ctx, tui.Options{
		Connect:  e.connectTUI,
		Explain:  e.explainTUI,
		Path:     path,
		Request:  req,
		Recent:   e.recentWorkfiles,
		Dir:      e.Dir,
		Restorer: e.OnCrashRestore,
		Pager:    cmp.Or(e.Get("WF_PAGER"), e.Get("PAGER"), "less -R"),
		Editor:   editor.Choose(e.Get),
		Drafts:   editor.Folder(settings.FoldersOf(&e.Console).State),
		Memory:   savedViews(filepath.Join(settings.FoldersOf(&e.Console).State, "views")),
		In:       e.Stdin,
		Out:      e.Stdout,
		Env:      e.Environ,
		ASCII:    e.WantASCII(),
		Color:    e.WantColor(true) && e.Palette != "none",
		Palette:  e.Palette,
	})
}

// showTUIOf shows the terminal interface.
func (e *env) showTUIOf(ctx context.Context, opt tui.Options) (tui.Left, error) {
	left, err := tui.Run(ctx, opt)
	var bug *program.Crash
	if errors.As(err, &bug) {
		e.Crash(bug.Value, bug.Stack)
		return left, exit.Error(exit.Daemon)
	}
	return left, err
}

// usualRun returns the request of wf run without flags, with the settings and the environment.
func (e *env) usualRun(path string) (api.RunRequest, error) {
	o := &runOptions{}
	cmd := &cobra.Command{Use: "run [FILE]"}
	o.addFlags(cmd)
	if path != "" {
		o.file = path
	}
	if err := e.configure(cmd, nil); err != nil {
		return api.RunRequest{}, err
	}
	return o.request(cmd.Flags(), e)
}

// connectTUI is connect for a client that reports the state of its connection.
func (e *env) connectTUI(ctx context.Context, start bool, lost func(error), note func(string)) (*client.Client, error) {
	opt, err := e.startingOptions(nil)
	if err != nil {
		return nil, err
	}
	opt.Lost, opt.Note, opt.NoStart = lost, note, !start
	return client.Connect(ctx, opt)
}

// reportLeft prints that the watched run continues, or how it ended.
func (e *env) reportLeft(ctx context.Context, left tui.Left) error {
	if left.Run == "" {
		return nil
	}
	var ended error
	// An error of open means that the daemon has ended meanwhile.
	_ = e.open(ctx, left.Path, func(ctx context.Context, e *env, s *target) error {
		detail, err := s.Workspace.Run(ctx, left.Run)
		if err != nil {
			return nil // deleted meanwhile
		}
		v := progress.NewDisplay(&e.Console, &s.Target, progress.Options{Progress: "plain", Output: "none", Timestamps: "off", CI: ci.None})
		defer v.Close()
		if detail.Result != "" {
			ended = v.Finish(ctx, progress.EndOf(detail, s.Workspace.ID, 0))
			return nil
		}
		v.Run.Total, v.Run.Missed = left.Of, left.Done
		v.Goodbye(left.Run, false)
		return nil
	})
	return ended
}

// tuiOf returns a function that shows the workfile of s in the terminal interface.
func (e *env) tuiOf(s *target) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := e.showTUI(ctx, s.Path)
		return err
	}
}

// maxRecent is how many workfiles the home screen lists.
const maxRecent = 50

// recentWorkfiles lists workfiles with a history, by their latest run, newest first. It leaves out unreadable
// histories.
func (e *env) recentWorkfiles() []tui.Recent {
	entries, _ := os.ReadDir(filepath.Join(settings.FoldersOf(&e.Console).State, "workspaces"))
	var recent []tui.Recent
	for _, entry := range entries {
		list, err := history.At(filepath.Join(settings.FoldersOf(&e.Console).State, "workspaces", entry.Name())).Newest(1)
		if err != nil || len(list) == 0 || list[0].Workfile == "" {
			continue
		}
		if _, err := os.Stat(list[0].Workfile); err != nil {
			continue
		}
		r := tui.Recent{Path: list[0].Workfile, Run: strconv.Itoa(list[0].Run), When: list[0].Time}
		if list[0].Result != nil {
			r.Result, r.When = api.Result(list[0].Result.Result), list[0].Result.Ended
		}
		recent = append(recent, r)
	}
	slices.SortFunc(recent, func(a, b tui.Recent) int { return b.When.Compare(a.When) })
	return recent[:min(len(recent), maxRecent)]
}

// tuiFile returns the workfile to open: the named one, or ./Workfile, or "" if that does not exist.
func (e *env) tuiFile(name string) (string, error) {
	if name == "" {
		if _, err := os.Stat(e.Abs(defaultWorkfile)); errors.Is(err, fs.ErrNotExist) {
			return "", nil
		}
	}
	return e.workfile(name)
}

// tuiImpossible says why the terminal interface cannot be shown, or returns "" if it can.
func (e *env) tuiImpossible() string {
	t := console.NewTerminal(e.Stdin, e.Stdout)
	s := e.Surroundings(t, false)
	switch {
	case t == nil:
		return "standard output is not a terminal"
	case t.In == nil:
		return "standard input is not a terminal"
	case s.Term == "" || s.Term == "dumb":
		return "TERM says that the terminal cannot move its cursor"
	case !s.Foreground:
		return "wf is not in the foreground of the terminal"
	}
	return ""
}

// explainTUI returns the error of opening a workfile with the same texts as on the command line.
func (e *env) explainTUI(path string, err error) api.Error {
	f := e.explainFormat(exit.Describe(err))
	if f.Fix == "" && exit.IsCode(err, api.CodeWorkfile) {
		f.Fix = "fix the file, then press C; wf check " + words.Quote(e.rel(path)) + " lists all mistakes"
	}
	return api.Error{Message: f.What, Where: f.Where, Why: f.Why, Fix: e.Advice(f.Fix)}
}
