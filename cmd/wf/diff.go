package main

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/cmd/wf/definition"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/report"
	"wf/tui/words"
)

// diffOptions are the flags of diff.
type diffOptions struct {
	json bool
	stat bool
}

func newDiff(e *env) *cobra.Command {
	o := &diffOptions{}
	cmd := &cobra.Command{
		Use: "diff [A] [B]",
		Long: `Diff prints what distinguishes the second version of a workfile from the first one: nodes, edges
and attributes that were added, removed or changed. Statuses do not count, and neither do spaces
and the order in the file; other positions in drawings are only counted.

A version is ` + sourceHelp + `.

With one run or revision, the other version is the file as it is now. With one file, or none, it is
compared with its last commit. The exit status is 0, whether or not there are differences.`,
		Example: `  wf diff                            what was edited since the last commit
  wf diff old.wf new.wf
  wf diff 41:                        what was edited since run 41
  wf diff main:Workfile HEAD:Workfile --stat
  wf diff 41: 42: --json`,
		Annotations: map[string]string{completesWith: "FILE FILE"},
		Args:        nargs(0, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.json && o.stat {
				return exit.Usage("--json and --stat cannot be combined")
			}
			a, b := diffSides(e, args)
			return o.run(cmd.Context(), e, a, b)
		},
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "print the differences as JSON")
	cmd.Flags().BoolVar(&o.stat, "stat", false, "print one line for each node and edge, and the sums")
	return cmd
}

// diffSides returns the sources of both versions for the arguments of diff.
func diffSides(e *env, args []string) (a, b string) {
	switch {
	case len(args) == 2:
		return args[0], args[1]
	case len(args) == 1 && args[0] != "-" && !exists(e, args[0]):
		if m := runSource.Get().FindStringSubmatch(args[0]); m != nil {
			return args[0], m[2]
		}
		if _, path, found := strings.Cut(args[0], ":"); found && !isURL(args[0]) {
			return args[0], workTreePath(e, path)
		}
	}
	file := first(args)
	if file == "" {
		file = defaultWorkfile
	}
	if filepath.IsAbs(file) {
		if rel, err := filepath.Rel(e.Dir, file); err == nil {
			file = rel
		}
	}
	return "HEAD:./" + filepath.ToSlash(file), file
}

// workTreePath returns the file of the work tree for a path in a revision, which is relative to the top of the work tree
// unless it begins with "./" or "../".
func workTreePath(e *env, path string) string {
	if strings.HasPrefix(path, "./") || strings.HasPrefix(path, "../") {
		return path
	}
	top, err := runGit(context.Background(), e, "rev-parse", "--show-toplevel")
	if err != nil {
		return path // reading the revision reports it
	}
	return filepath.Join(strings.TrimSuffix(string(top), "\n"), path)
}

func (o *diffOptions) run(ctx context.Context, e *env, a, b string) error {
	if a == "-" && b == "-" {
		return exit.Usage("both versions are standard input")
	}
	d := api.WorkfileDiff{Schema: api.SchemaWorkfileDiff}
	var versions [2]*definition.Version
	for i, side := range []struct {
		arg string
		to  *string
	}{{a, &d.Before}, {b, &d.After}} {
		s, err := readSource(ctx, e, side.arg)
		if err != nil {
			return o.noCommit(err, a, b)
		}
		if versions[i], err = s.version(e); err != nil {
			return err
		}
		*side.to = s.name
	}
	d.Definition = definition.Compare(versions[0], versions[1])
	switch {
	case o.json:
		return console.WriteJSON(e.Stdout, d)
	case o.stat:
		return report.DefinitionStat(e.Stdout, e.OutPaint(), d)
	}
	return report.Definition(e.Stdout, e.OutPaint(), d)
}

// noCommit adds to an error about a last commit that nobody asked for what to compare instead.
func (o *diffOptions) noCommit(err error, a, b string) error {
	f := exit.Describe(err)
	if !strings.HasPrefix(a, "HEAD:./") || strings.TrimPrefix(a, "HEAD:./") != filepath.ToSlash(b) || !strings.HasPrefix(f.What, "git has no") {
		return err
	}
	f.Status = exit.Status(err)
	f.What = "there is no commit of " + words.Quote(b) + " to compare it with"
	f.Fix = "name two versions: wf diff OLD " + words.Quote(b)
	return &f
}
