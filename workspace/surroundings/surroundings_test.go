package surroundings

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"wf/executor"
	"wf/graph"
	"wf/workspace/history"
)

// flow builds a graph: the nodes of a group "g" have the parent 0.
func flow(t *testing.T, of, group, own map[string]string) *graph.Graph {
	t.Helper()
	g, err := graph.Build([]graph.NodeSpec{
		{ID: "g", Parent: -1, Container: true, Extra: group},
		{ID: "in", Parent: 0, HasLabel: true, Label: "x", Extra: own},
		{ID: "out", Parent: -1, HasLabel: true, Label: "x"},
	}, nil, of)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

type attrs = map[string]string

// TestRead checks which surroundings the nodes in and outside of a group have, and which mistakes are found.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		of, group, own attrs
		in, out        string
		wrong          string // of the only problem
	}{
		{attrs{"wrapper": "x {}", "cwd": "c", "shell": "bash"}, nil, nil, "", "", ""},
		{nil, attrs{"cwd": "a"}, nil, "cwd=/w/a", "", ""},
		{nil, attrs{"cwd": "a"}, attrs{"cwd": "/b/../c"}, "cwd=/c", "", ""},
		{attrs{"shell": "dash"}, nil, attrs{"shell": "bash-strict"}, "shell=bash-strict", "", ""},
		{attrs{"env_file": "g1\n\n g2 "}, attrs{"env_file": "c"}, attrs{"env_file": "n"}, "env_file=/w/g1 env_file=/w/g2 env_file=/w/c env_file=/w/n", "env_file=/w/g1 env_file=/w/g2", ""},
		{attrs{"container": "a"}, nil, attrs{"container": "none"}, "", "container=a (auto)", ""},
		{attrs{"container": "a", "container_engine": "podman"}, nil, attrs{"conda": "e.yml"}, "conda=e.yml", "container=a (podman)", ""},
		{attrs{"conda": "e"}, attrs{"pixi": "none"}, nil, "", "conda=e", ""},
		{attrs{"container": "a"}, nil, attrs{"container_args": `--v 'x y'`}, "container=a (auto --v x y)", "container=a (auto)", ""},
		{attrs{"container": "./x.sif"}, nil, nil, "container=/w/x.sif (auto)", "container=/w/x.sif (auto)", ""},
		{nil, attrs{"nix": "./f#dev"}, nil, "nix=./f#dev", "", ""},
		{nil, nil, attrs{"cwd": "  "}, "", "", ""},

		{nil, nil, attrs{"container": "a", "nix": "b"}, "", "", "it has container and nix"},
		{attrs{"pixi": "a", "conda": "b"}, nil, nil, "", "", "it has conda and pixi"},
		{nil, nil, attrs{"container": "-v"}, "", "", "which is no image"},
		{nil, nil, attrs{"container": "a --privileged"}, "", "", "which is no image"},
		{nil, nil, attrs{"container_engine": "lxc"}, "", "", "write auto, docker, podman or apptainer"},
		{nil, nil, attrs{"container_args": "$(id)"}, "", "", "a shell does not read them"},
		{nil, nil, attrs{"conda": "a/b"}, "", "", "neither a file"},
		{nil, nil, attrs{"conda": "-n"}, "", "", "neither a file"},
		{nil, nil, attrs{"pixi": "a#"}, "", "", "no name of an environment"},
		{nil, nil, attrs{"nix": "--impure"}, "", "", "neither a file"},
		{nil, nil, attrs{"nix": "f/flake.nix"}, "", "", "write its folder"},
		{nil, nil, attrs{"shell": `bash "`}, "", "", "not a program with options"},
		{nil, nil, attrs{"wrapper": "nice {}"}, "", "", "write nice sh -c {}"},
		{attrs{"wrapper": "x '{}"}, nil, attrs{"shell": "bash"}, "", "", "open"},
		{nil, attrs{"cwd": "${{ params.x }}"}, nil, "", "", "a line of env may contain it"},
	} {
		g := flow(t, c.of, c.group, c.own)
		wrapper, _ := g.Attr("wrapper")
		set, problems := Read(g, "/w", wrapper)
		name := fmt.Sprint(c.of, c.group, c.own)
		if c.wrong != "" {
			if len(problems) != 1 || !strings.Contains(problems[0].Message, c.wrong) || problems[0].Attr == "" {
				t.Errorf("%s: problems %+v, want %q", name, problems, c.wrong)
			}
			continue
		}
		if len(problems) > 0 {
			t.Errorf("%s: %+v", name, problems)
		}
		for id, want := range map[string]string{"in": c.in, "out": c.out} {
			got := ""
			if f := set.Of(g.Node(id)); f != nil {
				got = strings.Join(f.Words(), " ")
			}
			if got != want {
				t.Errorf("%s: %s has %q, want %q", name, id, got, want)
			}
		}
	}
}

// TestReadNothing checks that nothing is made for a workfile that says nothing.
func TestReadNothing(t *testing.T) {
	g := flow(t, attrs{"jobs": "3"}, attrs{"cpus": "1"}, attrs{"retries": "1"})
	if set, problems := Read(g, "/w", ""); set != nil || problems != nil || set.Of(g.Node("in")) != nil || set.ReadFiles() != nil {
		t.Errorf("%+v, %+v", set, problems)
	}
}

// TestLaunch checks the argument vectors.
func TestLaunch(t *testing.T) {
	dir := t.TempDir()
	output := filepath.Join(dir, "o,1")
	at := Place{Workfile: "/w/x.graphml", Dir: dir, Cwd: "/w", State: "/s", Names: []string{"WF_RUN_ID"}}
	conda := &history.Environment{Kind: "conda", Ref: "e.yml", Path: "/w/e.yml", Sum: "1"}
	user := fmt.Sprintf("%d:%d", os.Getuid(), os.Getgid())
	for name, c := range map[string]struct {
		s    history.Surroundings
		want []string
	}{
		"folder": {history.Surroundings{Cwd: "/a b'c"}, []string{"/bin/sh", "-c", inFolder, "sh", "/a b'c"}},
		"conda":  {history.Surroundings{Environment: conda}, []string{"/bin/sh", "-c", inConda, "sh", Folder("/s", conda) + "/prefix"}},
		"docker": {history.Surroundings{Cwd: "/d", Box: &history.Box{Engine: "docker", Image: "i:1", Args: []string{"--memory", "1 g"}}},
			[]string{"docker", "run", "--rm", "--init", "--cidfile", dir + "/cid-3.1", "--user", user, "--workdir", "/d", "--entrypoint", "",
				"--mount", "type=bind,source=/w,target=/w", "--mount", "type=bind,source=/d,target=/d",
				"--mount", `type=bind,"source=` + output + `","target=` + output + `"`,
				"--env", "A", "--env", "WF_RUN_ID", "--env", "TINI_KILL_PROCESS_GROUP=1", "--memory", "1 g", "i:1"}},
		"apptainer": {history.Surroundings{Box: &history.Box{Engine: "apptainer", Image: "/i.sif"}},
			[]string{"apptainer", "exec", "--pwd", "/w", "--bind", "/w", "--bind", output, "/i.sif"}},
	} {
		job := executor.Job{ID: executor.ID{Node: 3, Execution: 1}, Command: "c", Env: []string{"A=secret"}}
		Launch(&job, &c.s, at, output)
		if !slices.Equal(job.Launcher, c.want) || (job.Box != nil) != (name == "docker") {
			t.Errorf("%s:\n got %q\nwant %q", name, job.Launcher, c.want)
		}
	}
	if _, err := os.Stat(output); err != nil {
		t.Error(err)
	}
}

// TestTextsStayArguments checks that no text of a workfile changes the scripts of launchers and preparations.
func TestTextsStayArguments(t *testing.T) {
	scripts := []string{inFolder, inConda, inActivated}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-z$'"; ./#-]{1,12}`)
		s := &history.Surroundings{Cwd: "/" + text.Draw(t, "cwd")}
		if rapid.Bool().Draw(t, "environment") {
			s.Environment = &history.Environment{Kind: rapid.SampledFrom([]string{"conda", "pixi", "nix"}).Draw(t, "kind"), Ref: text.Draw(t, "ref"),
				Path: "/" + text.Draw(t, "path"), Name: text.Draw(t, "name"), Program: "/p"}
		}
		job := executor.Job{Command: "x"}
		Launch(&job, s, Place{Workfile: "/w/x", Cwd: "/w", State: "/s"}, "")
		for i, word := range job.Launcher {
			if i > 0 && job.Launcher[i-1] == "-c" && !slices.Contains(scripts, word) {
				t.Fatalf("%q is no constant", word)
			}
		}
		if p := Prepared(s, "/s"); p != nil && !slices.Contains([]string{createConda, findConda, installPixi, nixShell}, p.Script) {
			t.Fatalf("%q is no constant", p.Script)
		}
	})
}

// TestFiles checks what is read of files, and that the sum of an environment follows the files that describe it.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("v", "A=1\nexport B='x y'\n")
	write("bad", "A=1\n\nword\n")
	write("own", "WF_X=1\n")
	write("pixi.toml", "a")
	found := func(own attrs) *Found {
		t.Helper()
		g := flow(t, nil, nil, own)
		set, problems := Read(g, dir, "")
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		return set.Of(g.Node("in"))
	}
	files := func(f *Found) Files { return (&Set{List: []*Found{f}}).ReadFiles() }
	f := found(attrs{"env_file": "v"})
	if got := files(f).Variables(&f.Surroundings); !slices.Equal(got, []string{"A=1", "B=x y"}) {
		t.Errorf("%q", got)
	}
	for file, want := range map[string]string{"bad": "line 3 is not KEY=VALUE", "own": "it sets WF_X", "none": "it does not exist", ".": "it is not a file"} {
		f := found(attrs{"env_file": file})
		if e := f.Problems(files(f)); e == nil || !strings.Contains(e.Message, want) || e.Attr != "env_file" {
			t.Errorf("%s: %v, want %q", file, e, want)
		}
	}
	f = found(attrs{"pixi": "."})
	key := func() string {
		s, _ := f.Resolve([]string{"PATH="}, files(f))
		return Folder("/s", s.Environment)
	}
	before := key()
	if key() != before {
		t.Error("the same files give different environments")
	}
	write("pixi.lock", "x")
	after := key()
	if after == before {
		t.Error("another lock file gives the same environment")
	}
	s, _ := f.Resolve([]string{"PATH="}, files(f))
	p := Prepared(&s, "/s")
	if why := p.Changed(); why != "" {
		t.Error(why)
	}
	write("pixi.toml", "b")
	if why := p.Changed(); !strings.Contains(why, "has changed since the run started") {
		t.Errorf("%q", why)
	}
}
