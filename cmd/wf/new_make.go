package main

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"wf/cmd/wf/convert"
	"wf/cmd/wf/convert/gnumake"
	"wf/cmd/wf/exit"
	"wf/tui/plain"
)

// readMake asks GNU make what it would execute. Since make evaluates the makefile, the user has to agree.
func (o *newOptions) readMake(ctx context.Context, e *env, data []byte, name string) (flow *convert.Workflow, err error) {
	if err := o.trustMakefile(e, name); err != nil {
		return nil, err
	}
	m := gnumake.Makefile{Name: name, Folder: e.Abs("."), Goals: o.goals, Text: data, Environ: e.Environ}
	if o.input != "-" {
		m.Path, m.Text = e.Abs(o.input), nil
		m.Folder = filepath.Dir(m.Path)
	}
	err = gnumake.Ask(ctx, m, func(answers convert.MakeAnswers) error {
		flow, err = convert.Make(answers, convert.MakeOptions{Command: o.command, Flat: o.flat})
		return err
	})
	var refused *gnumake.Error
	switch {
	case errors.Is(err, gnumake.ErrMissing):
		return nil, &exit.Failure{Status: exit.BadWorkfile, What: "no GNU make 4.0 or newer was found", Where: "",
			Why: "wf asks make what it would execute (" + err.Error() + ")", Fix: "install GNU make; it may also be called gmake"}
	case errors.As(err, &refused):
		return nil, makeRefuses(name, refused)
	}
	return flow, err
}

// trustMakefile asks whether make may evaluate a makefile.
func (o *newOptions) trustMakefile(e *env, name string) error {
	if o.trust {
		return nil
	}
	const evaluates = "make evaluates it, and so runs the commands in its $(shell …) and != and in files that it includes; recipes are not executed"
	if !e.Interactive() {
		return &exit.Failure{Status: exit.BadUsage, What: plain.Line(name) + " needs your consent", Why: evaluates, Fix: "if you trust it, add --trust"}
	}
	return e.confirm(plain.Line(name)+": "+evaluates+". Evaluate it? [y/N] ", "nothing was evaluated or written")
}

// makeSays begins what make says about a makefile.
const makeSays = "make says: "

// makeRefuses returns the failure for a makefile that make does not accept.
func makeRefuses(name string, refused *gnumake.Error) error {
	at := &convert.Error{Line: refused.Line, Msg: makeSays + plain.Line(refused.Message)}
	where := name
	if refused.File != "" && filepath.Base(refused.File) != filepath.Base(name) && name != "standard input" {
		where = filepath.Join(filepath.Dir(name), refused.File)
	}
	switch {
	case strings.HasPrefix(refused.Message, "No rule to make target"):
		at.Fix = "correct the name; or, if another program makes the file, let it do so first"
	case strings.Contains(refused.Message, "No such file or directory"):
		at.Fix = "if a rule makes this file, make it first: make FILE"
	}
	return notExpressible(where, "make", at)
}
