package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"wf/cmd/wf/console"
)

// TestEveryCandidatePassesTheFilter completes the arguments and flags of all commands. The names of its files and nodes
// contain text that a shell would execute.
func TestEveryCandidatePassesTheFilter(t *testing.T) {
	dir := t.TempDir()
	var nodes strings.Builder
	hostile := []string{"$(touch PWN)1", "$(touch PWN)2", "`touch PWN`", ";touch PWN", "a\nb", "-rf", "'", "\x1b[31m", "a&b", "a|b", "<a", "!1", "\u202egnp"}
	for _, name := range append(hostile, "plain", "go on") {
		for _, ending := range []string{"", ".wf", "/"} {
			path := filepath.Join(dir, name+ending)
			if ending == "/" {
				path = filepath.Join(dir, "in "+name)
				os.MkdirAll(path, 0o700)
			} else if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		nodes.WriteString(`<node id="` + xmlText(name) + `"><data key="n">` + xmlText(name) + `</data><data key="l">true</data><data key="g">` + xmlText(name) + `</data></node>`)
	}
	choices := `["$(touch PWN)1", "$(touch PWN)2", "plain"]`
	file := `<graphml><key id="l" for="node" attr.name="label"/><key id="n" for="node" attr.name="name"/><key id="g" for="node" attr.name="group"/>` +
		`<key id="p" for="graph" attr.name="params"/><graph edgedefault="directed"><data key="p">{"x": {"choices": ` + choices + `}, "$(y)": {}}</data>` + nodes.String() + `</graph></graphml>`
	if err := os.WriteFile(filepath.Join(dir, "Workfile"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	e := &env{Console: console.Console{Dir: dir, Environ: []string{"HOME=" + dir, "WF_STATE_DIR=" + filepath.Join(dir, "state"), "WF_RUNTIME_DIR=" + filepath.Join(dir, "run")}}}
	offered := map[string]bool{}
	ask := func(words ...string) {
		var out bytes.Buffer
		root := newRoot(e)
		root.SetArgs(append([]string{cobra.ShellCompRequestCmd}, words...))
		root.SetOut(&out)
		root.SetErr(new(bytes.Buffer))
		addCompletion(root, e)
		if err := root.Execute(); err != nil {
			t.Errorf("%q: %v", words, err)
		}
		for _, o := range readAnswer(out.String()).offers {
			offered[o.text] = true
			if flag := strings.HasPrefix(o.text, "-"); !flag && !offerable(o.text) || flag && words[len(words)-1] != "-" || strings.Contains(o.text, "touch") {
				t.Errorf("%q offers %q", words, o.text)
			}
		}
	}
	for _, cmd := range shownCommands(newRoot(e)) {
		path := strings.Fields(cmd.CommandPath())[1:]
		for _, args := range [][]string{nil, {"plain"}, {"plain", "plain", "when"}} {
			for _, word := range []string{"", "in go on/", "g:"} {
				ask(slices.Concat(path, args, []string{word})...)
			}
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			for _, word := range []string{"", "x=", "junit="} {
				ask(slices.Concat(path, []string{"--" + f.Name, word})...)
			}
		})
		ask(append(path, "-")...)
	}
	for _, want := range []string{"plain", "plain.wf", "go on.wf", "in go on/", "x=plain", "g:plain", "--nodes", "failure", "junit=go on"} {
		if !offered[want] {
			t.Errorf("%q was never offered", want)
		}
	}
}

func xmlText(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", `"`, "&quot;", "\x1b", "", "\n", "&#10;").Replace(text)
}

// TestCompletionScriptsEvaluateNothing checks that the scripts evaluate neither the typed line nor the output of wf.
func TestCompletionScriptsEvaluateNothing(t *testing.T) {
	for _, shell := range shells {
		var out bytes.Buffer
		if err := execute(&env{Console: console.Console{Stdout: &out, Stderr: &out}}, []string{"completion", shell}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			code, _, _ := strings.Cut(line, "#")
			for _, word := range []string{"eval", "Invoke-Expression", "iex", "compgen", "source"} {
				if slices.Contains(strings.Fields(code), word) {
					t.Errorf("%s: %s", shell, line)
				}
			}
		}
	}
}
