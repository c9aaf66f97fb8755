package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"wf/cmd/wf/definition"
	"wf/cmd/wf/exit"
	"wf/tui/plain"
)

// newGit groups what git needs to know workfiles.
func newGit(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "git",
		Long: `Git teaches git what a workfile is: git diff shows texts instead of XML, git merge merges nodes and
attributes instead of lines, and the results of runs never get into a commit. wf git setup explains
itself and is taken back by wf git setup --remove. The other commands are for git.`,
		Example: `  wf git setup
  wf git setup --remove`,
	}
	return noun(cmd, newGitSetup(e), newGitTextconv(e), newGitClean(e), newGitMerge(e))
}

func newGitTextconv(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "textconv FILE",
		Short: "Print the text of a workfile for git diff",
		Long: `Textconv is called by git diff, git log -p and git show after wf git setup. It prints the text of the
workfile, as wf text does. A file that is not a workfile is printed as it is.`,
		Example: `  git config diff.wf.textconv 'wf git textconv'`,
		Args:    nargs(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			data, err := os.ReadFile(e.Abs(args[0]))
			if err != nil {
				return &exit.Failure{Status: exit.BadWorkfile, What: "cannot read " + plain.Line(args[0]), Why: exit.Obstacle(err)}
			}
			if v, err := definition.Read(data); err == nil && !definition.IsText(data) {
				if text, err := v.Text(); err == nil {
					data = text
				}
			}
			_, err = e.Stdout.Write(data)
			return err
		},
	}
}

func newGitClean(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "clean [PATH]",
		Short: "Remove the results of runs from a workfile for git add",
		Long: `Clean is called by git add and git status after wf git setup. It reads a workfile from standard
input and prints it without statuses, marks and outputs, so that git stores what people wrote. PATH
is its path in the work tree: keys and empty values that runs added are written as the index of git
has them. A file that is not a workfile, or whose statuses are those of another program, is printed
as it is. The file in the work tree does not change.`,
		Example: `  wf git clean < Workfile > without-results`,
		Args:    nargs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			data, err := io.ReadAll(e.Stdin)
			if err != nil {
				return fmt.Errorf("standard input: %w", err)
			}
			if !definition.IsText(data) {
				var origin []byte
				if len(args) > 0 { // git calls filters at the top of the work tree
					origin, _ = runGit(cmd.Context(), e, "cat-file", "blob", ":"+args[0])
				}
				if clean, err := definition.Clean(data, origin); err == nil {
					data = clean
				}
			}
			_, err = e.Stdout.Write(data)
			return err
		},
	}
}

func newGitMerge(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "merge BASE OURS THEIRS [PATH]",
		Short: "Merge two versions of a workfile for git merge",
		Long: `Merge is called by git merge, rebase, cherry-pick and stash after wf git setup. It puts the changes
from BASE to THEIRS into the file OURS, per node, edge and attribute: edits of different nodes or
attributes never conflict. What both versions changed in different ways keeps the value of OURS;
the other value is in the attribute merge_conflict of the node or the workfile, which wf text
shows, and wf run refuses the workfile until it is removed. The exit status is 1 then.`,
		Example: `  git config merge.wf.driver 'wf git merge %O %A %B %P'`,
		Args:    nargs(3, 4),
		RunE: func(cmd *cobra.Command, args []string) error {
			return mergeForGit(cmd.Context(), e, args)
		},
	}
}

// mergeForGit is the merge driver. Files that are no workfiles are merged line by line, as git does without a driver.
func mergeForGit(ctx context.Context, e *env, args []string) error {
	var files [3][]byte
	for i, name := range args[:3] {
		data, err := os.ReadFile(e.Abs(name))
		if err != nil {
			return &exit.Failure{Status: exit.BadWorkfile, What: "cannot read " + plain.Line(name), Why: exit.Obstacle(err)}
		}
		files[i] = data
	}
	name := args[1]
	if len(args) == 4 {
		name = args[3]
	}
	lines, clean := mergeLines(ctx, e, args)
	unconflicted := lines
	if !clean {
		unconflicted = nil
	}
	merged, err := definition.Merge(files[0], files[1], files[2], unconflicted)
	if err != nil {
		fmt.Fprintf(e.Stderr, "note: %s is merged line by line: %s\n", plain.Line(name), plain.Line(err.Error()))
		if lines == nil {
			return &exit.Failure{Status: exit.Failed, What: "cannot merge " + plain.Line(name), Why: "git merge-file failed"}
		}
		merged = &definition.Merged{Data: lines}
		if !clean {
			merged.Conflicts = []string{"lines that both versions changed are marked in the file"}
		}
	}
	if err := replaceFile(e.Abs(args[1]), merged.Data); err != nil {
		return &exit.Failure{Status: exit.BadWorkfile, What: "cannot write " + plain.Line(args[1]), Why: exit.Obstacle(err)}
	}
	for _, note := range merged.Notes {
		fmt.Fprintf(e.Stderr, "note: %s: %s\n", plain.Line(name), plain.Line(note))
	}
	for _, conflict := range merged.Conflicts {
		fmt.Fprintf(e.Stderr, "conflict in %s: %s\n", plain.Line(name), plain.Line(conflict))
	}
	if len(merged.Conflicts) > 0 {
		return exit.With(exit.Failed)
	}
	return nil
}

// mergeLines merges the files line by line. It returns nil if git cannot do that; clean is false if there are conflicts.
func mergeLines(ctx context.Context, e *env, args []string) (data []byte, clean bool) {
	cmd := exec.CommandContext(ctx, "git", "merge-file", "-p", "-q", "--diff3", e.Abs(args[1]), e.Abs(args[0]), e.Abs(args[2]))
	cmd.Env = e.Environ
	cmd.Dir = filepath.Dir(e.Abs(args[1]))
	var out bytes.Buffer
	cmd.Stdout = &out
	err := cmd.Run()
	var exited *exec.ExitError
	if err != nil && (!errors.As(err, &exited) || exited.ExitCode() < 0 || exited.ExitCode() > 127) {
		return nil, false
	}
	return out.Bytes(), err == nil
}

// replaceFile writes the content of an existing file. git reads it after this process has ended, so no other file appears
// beside it.
func replaceFile(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if shut := f.Close(); err == nil {
		err = shut
	}
	return err
}
