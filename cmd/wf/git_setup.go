package main

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

	"github.com/spf13/cobra"

	"wf/cmd/wf/exit"
	"wf/tui/plain"
	"wf/tui/words"
)

// gitSetupOptions are the flags of git setup.
type gitSetupOptions struct {
	remove  bool
	private bool
	dryRun  bool
}

// gitPatterns are the files that count as workfiles if the user names none.
var gitPatterns = []string{"Workfile", "*.wf", "*.graphml"}

func newGitSetup(e *env) *cobra.Command {
	o := &gitSetupOptions{}
	cmd := &cobra.Command{
		Use:   "setup [PATTERN...]",
		Short: "Teach git to show, merge and store workfiles",
		Long: `Setup makes the git repository of the current folder treat workfiles as such. It writes two things
and prints them:

  .gitattributes  a block of lines that names the files: Workfile, *.wf and *.graphml, or the
                  patterns that you give. Commit it: others who call wf git setup need only the
                  configuration. --private writes .git/info/attributes instead
  .git/config     what git calls: diff=wf shows differences of texts (git diff, log -p, show);
                  merge=wf merges nodes and attributes (merge, rebase, cherry-pick); filter=wf
                  leaves out the results of runs when files are added

After a run, git status may call a workfile modified although git diff shows nothing: only its size
has changed, and git add notices that.

Whoever has no such configuration, or no wf, works as before: git ignores drivers that it does not
know. --remove takes all of it back, and leaves other lines as they are.`,
		Example: `  wf git setup --dry-run
  wf git setup
  wf git setup 'flows/*.graphml'
  wf git setup --remove`,
		Args: nargs(0, -1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), e, args) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.remove, "remove", false, "take back what setup wrote")
	f.BoolVar(&o.private, "private", false, "write .git/info/attributes instead of .gitattributes, which is shared")
	f.BoolVar(&o.dryRun, "dry-run", false, "print what would be written, and change nothing")
	return cmd
}

// A gitSetting is a line of the configuration of git.
type gitSetting struct{ key, value string }

// gitSettings returns the configuration. program is how git calls wf, for a shell.
func gitSettings(program string) []gitSetting {
	return []gitSetting{
		{"diff.wf.textconv", program + " git textconv"},
		{"diff.wf.xfuncname", `^(  [^ #:][^:]*:).*$`},
		{"merge.wf.name", "workfiles, per node and attribute"},
		{"merge.wf.driver", program + " git merge %O %A %B %P"},
		{"filter.wf.clean", program + " git clean %f"},
	}
}

// The lines around the block in the file of attributes.
const (
	gitBlockStart = "# wf git setup: workfiles, for git with wf"
	gitBlockEnd   = "# wf git setup: end"
)

func (o *gitSetupOptions) run(ctx context.Context, e *env, patterns []string) error {
	if o.remove && len(patterns) > 0 {
		return exit.Usage("--remove takes everything back, and no patterns")
	}
	for _, p := range patterns {
		if strings.ContainsAny(p, " \t\r\n\"#") || strings.HasPrefix(p, "!") {
			return exit.Usage("%s is no pattern for .gitattributes: it has spaces, quotes, # or !", words.Quote(p))
		}
	}
	top, err := runGit(ctx, e, "rev-parse", "--show-toplevel")
	if err != nil {
		return &exit.Failure{Status: exit.BadUsage, What: "there is no git work tree here", Why: err.Error(), Fix: "git init, or call wf in the repository"}
	}
	folder := strings.TrimSuffix(string(top), "\n")
	shared := filepath.Join(folder, ".gitattributes")
	info, err := runGit(ctx, e, "rev-parse", "--git-path", "info/attributes")
	if err != nil {
		return &exit.Failure{Status: exit.BadUsage, What: "git does not say where its attributes are", Why: err.Error()}
	}
	private := e.Abs(strings.TrimSuffix(string(info), "\n"))
	if o.remove {
		return o.takeBack(ctx, e, shared, private)
	}
	if len(patterns) == 0 {
		patterns = gitPatterns
	}
	path := shared
	if o.private {
		path = private
	}
	return o.install(ctx, e, path, patterns)
}

// install writes the block and the configuration.
func (o *gitSetupOptions) install(ctx context.Context, e *env, path string, patterns []string) error {
	block := gitBlockStart + "\n"
	for _, p := range patterns {
		block += p + " diff=wf merge=wf filter=wf\n"
	}
	block += gitBlockEnd + "\n"
	if err := o.rewrite(e, path, block); err != nil {
		return err
	}
	for _, s := range gitSettings(gitProgram(e)) {
		now, _ := runGit(ctx, e, "config", "--local", "--get", s.key)
		if strings.TrimSuffix(string(now), "\n") == s.value {
			continue
		}
		fmt.Fprintf(e.Stdout, "git config %s %s\n", s.key, words.Quote(s.value))
		if o.dryRun {
			continue
		}
		if _, err := runGit(ctx, e, "config", "--local", s.key, s.value); err != nil {
			return &exit.Failure{Status: exit.BadUsage, What: "git config " + s.key + " failed", Why: err.Error()}
		}
	}
	if o.dryRun {
		fmt.Fprintln(e.Stderr, "nothing was changed")
		return nil
	}
	fmt.Fprintln(e.Stderr, "git knows workfiles now; wf git setup --remove takes this back")
	fmt.Fprintln(e.Stderr, "note: results that are in commits already leave with: git add --renormalize .")
	return nil
}

// takeBack removes the block and the configuration.
func (o *gitSetupOptions) takeBack(ctx context.Context, e *env, files ...string) error {
	for _, path := range files {
		if err := o.rewrite(e, path, ""); err != nil {
			return err
		}
	}
	for _, s := range gitSettings("wf") {
		if _, err := runGit(ctx, e, "config", "--local", "--get", s.key); err != nil {
			continue // it is not set
		}
		fmt.Fprintf(e.Stdout, "git config --unset-all %s\n", s.key)
		if o.dryRun {
			continue
		}
		if _, err := runGit(ctx, e, "config", "--local", "--unset-all", s.key); err != nil {
			return &exit.Failure{Status: exit.BadUsage, What: "git config --unset-all " + s.key + " failed", Why: err.Error()}
		}
	}
	for _, section := range []string{"diff.wf", "merge.wf", "filter.wf"} {
		if rest, err := runGit(ctx, e, "config", "--local", "--get-regexp", "^"+strings.ReplaceAll(section, ".", `\.`)+`\.`); !o.dryRun && err != nil && len(rest) == 0 {
			_, _ = runGit(ctx, e, "config", "--local", "--remove-section", section) // an empty one, which old versions of git leave
		}
	}
	if o.dryRun {
		fmt.Fprintln(e.Stderr, "nothing was changed")
	} else {
		fmt.Fprintln(e.Stderr, "git treats workfiles as any file again")
	}
	return nil
}

// rewrite puts the block into a file of attributes, in the place of an earlier one. Without a block it removes the earlier one,
// and the file if nothing else is in it.
func (o *gitSetupOptions) rewrite(e *env, path, block string) error {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &exit.Failure{Status: exit.BadUsage, What: "cannot read " + plain.Line(e.rel(path)), Why: exit.Obstacle(err)}
	}
	wanted := withBlock(data, block)
	if bytes.Equal(data, wanted) {
		return nil
	}
	if block == "" {
		fmt.Fprintf(e.Stdout, "%s: the lines of wf removed\n", plain.Line(e.rel(path)))
	} else {
		fmt.Fprintf(e.Stdout, "%s:\n  %s\n", plain.Line(e.rel(path)), strings.ReplaceAll(strings.TrimSuffix(block, "\n"), "\n", "\n  "))
	}
	switch {
	case o.dryRun:
		return nil
	case len(wanted) == 0:
		err = os.Remove(path)
	default:
		if err = os.MkdirAll(filepath.Dir(path), 0o777); err == nil {
			err = os.WriteFile(path, wanted, 0o666)
		}
	}
	if err != nil {
		return &exit.Failure{Status: exit.BadUsage, What: "cannot write " + plain.Line(e.rel(path)), Why: exit.Obstacle(err)}
	}
	return nil
}

// withBlock returns the content of a file of attributes with the block at its end, or in the place of an earlier block.
func withBlock(data []byte, block string) []byte {
	text := string(data)
	if start := strings.Index(text, gitBlockStart+"\n"); start >= 0 {
		if end := strings.Index(text[start:], gitBlockEnd+"\n"); end >= 0 {
			return []byte(text[:start] + block + text[start+end+len(gitBlockEnd)+1:])
		}
	}
	if block == "" {
		return data
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return []byte(text + block)
}

// gitProgram returns how git calls this program: by its name if the name leads here, otherwise by its path.
func gitProgram(e *env) string {
	self, err := os.Executable()
	if err != nil {
		return "wf"
	}
	if found, err := exec.LookPath("wf"); err == nil {
		a, errA := os.Stat(found)
		b, errB := os.Stat(self)
		if errA == nil && errB == nil && os.SameFile(a, b) {
			return "wf"
		}
	}
	return words.Quote(self)
}
