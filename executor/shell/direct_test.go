package shell

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// testEnv returns an environment whose PATH begins with a folder of programs of the test.
func testEnv(t *testing.T) (env []string, bin string) {
	t.Helper()
	bin = t.TempDir()
	for name, file := range map[string]struct {
		text string
		mode os.FileMode
	}{
		"script":    {"#!/bin/sh\nprintf '%s|' \"$0\" \"$@\"\n", 0o755},
		"bare":      {"echo a script without its first line\n", 0o755},
		"orphaned":  {"#!/no/such/interpreter\n", 0o755},
		"forbidden": {"#!/bin/sh\necho hi\n", 0o644},
		"echo":      {"#!/bin/sh\nprintf 'not the builtin'\n", 0o755},
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(file.text), file.mode); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"PATH=" + bin + ":/usr/bin:/bin", "LC_ALL=C"}, bin
}

// findIn returns a function that looks up programs in the PATH of env.
func findIn(env []string) func(name string) (string, bool) {
	list, _ := Value(env, "PATH")
	return func(name string) (string, bool) { return FindProgram(name, list) }
}

func TestDirect(t *testing.T) {
	env, bin := testEnv(t)
	program := func(name string) string {
		path, ok := findIn(env)(name)
		if !ok {
			t.Fatalf("no %s here", name)
		}
		return path
	}
	for _, c := range []struct {
		shell, line string
		path        string // "" = the line goes through the shell
		argv        []string
	}{
		{"", "script a b", bin + "/script", []string{"script", "a", "b"}},
		{"/bin/sh", "  script\t--x=1 ", bin + "/script", []string{"script", "--x=1"}},
		{"bash", "'script' \"a b\"'c'", bin + "/script", []string{"script", "a bc"}},
		{"", "script '' \"$(x)\"", "", nil},
		{"", "script ''", bin + "/script", []string{"script", ""}},
		{"", "script '$HOME `x` *'", bin + "/script", []string{"script", "$HOME `x` *"}},
		{"", "/bin/ls -l", "/bin/ls", []string{"/bin/ls", "-l"}},
		{"", "true", program("true"), []string{"true"}},
		{"", "true --version", "", nil},
		{"", "echo hi", "", nil},
		{"", "[ a = a ]", "", nil},
		{"", "cd /", "", nil},
		{"", "exit 3", "", nil},
		{"", "A=b script", "", nil},
		{"", "script ~", "", nil},
		{"", "script *", "", nil},
		{"", "script {a,b}", "", nil},
		{"", "script a;script b", "", nil},
		{"", "script a&", "", nil},
		{"", "script >x", "", nil},
		{"", "script a\nscript b", "", nil},
		{"", "script # c", "", nil},
		{"", `script \a`, "", nil},
		{"", "script 'a", "", nil},
		{"", `script 'it'\''s' "\$HOME \"x\" \x"`, bin + "/script", []string{"script", "it's", `$HOME "x" \x`}},
		{"", `script "a\`, "", nil},
		{"", "script é", "", nil},
		{"", "if", "", nil},
		{"", "''", "", nil},
		{"", "no-such-program", "", nil},
		{"", "forbidden", "", nil},
		{"", "/", "", nil},
		{"", "bash -c 'a | b'", program("bash"), []string{"bash", "-c", "a | b"}},
		{"", "bash -c 'script a'", program("bash"), []string{"bash", "-c", "script a"}},
		{"", "sh -c 'script a'", bin + "/script", []string{"script", "a"}},
		{"", "sh -c 'sh -c \"script a\"'", bin + "/script", []string{"script", "a"}},
		{"", "sh -c 'script $1'", program("sh"), []string{"sh", "-c", "script $1"}},
		{"", "sh -c 'echo a'", program("sh"), []string{"sh", "-c", "echo a"}},
		{"", "sh -c ''", program("sh"), []string{"sh", "-c", ""}},
		{"", "sh -ec 'script a'", program("sh"), []string{"sh", "-ec", "script a"}},
		{"", "sh -c 'script a' name", program("sh"), []string{"sh", "-c", "script a", "name"}},
		{"/usr/bin/python3", "script a", "", nil},
		{"zsh", "script a", "", nil},
	} {
		path, argv, ok := Direct(c.shell, c.line, findIn(env))
		if ok != (c.path != "") || path != c.path || !slices.Equal(argv, c.argv) {
			t.Errorf("%s -c %q: %q %q %v, want %q %q", c.shell, c.line, path, argv, ok, c.path, c.argv)
		}
	}
}

func TestDirectNeedsAnAbsolutePath(t *testing.T) {
	for _, path := range []string{"", "PATH=", "PATH=.:/bin", "PATH=:/bin", "PATH=bin"} {
		if _, _, ok := Direct("", "ls", findIn([]string{path})); ok {
			t.Errorf("%q: found", path)
		}
	}
}

func TestShellHook(t *testing.T) {
	for variable, want := range map[string]bool{
		"ENV=x": true, "BASH_ENV=": true, "BASH_FUNC_ls%%=() { :; }": true, "SHELLOPTS=xtrace": true,
		"BASH=x": false, "ENVIRONMENT=x": false, "PATH=/bin": false,
	} {
		if got := IsHook(variable); got != want {
			t.Errorf("%s: %v", variable, got)
		}
	}
}

// An outcome is all that a user can observe of a command.
type outcome struct {
	stdout, stderr string
	code           int // as in a shell: 128 and more for a signal
	signal         int
}

// TestDirectIsInvisible compares a direct start with /bin/sh -c.
func TestDirectIsInvisible(t *testing.T) {
	env, bin := testEnv(t)
	cwd := t.TempDir()
	env = append(env, "PWD="+cwd)
	if err := os.WriteFile(filepath.Join(cwd, "here"), []byte("#!/bin/sh\necho \"$0 $PWD\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"true", "false", "true x", "true --help", "false a", ":", "echo a", "echo -n a", `echo 'a\tb'`,
		"script", "script a 'b c' \"d\" ''", "script --a=b c=d e:f", "bare a", "orphaned", "forbidden",
		"no-such-program", "/no/such/program", "/", "./here", "here", "./none", bin + "/script a",
		bin + "/forbidden", bin + "/bare", bin + "/orphaned", "ls /no/such/file", "cat here", "env", "printenv PWD",
		"pwd", "sh -c 'exit 3'", "sh -c 'kill -9 $$'", "sh -c 'script a'", "sh -c no-such-program",
		"bash -c 'echo $0 $#'", "bash -c 'exit 4'", "bash -c no-such-program", "bash -c env", "bash -c 'echo $SHLVL'",
		"dash -c 'script $0'", "sh -c 'sh -c \"exit 5\"'", "sh -c ''", "sh -c", "sh -c 'forbidden'",
		"expr 1 + 1", "seq 3", "printf %s", "test a = b", "kill", "type ls", "exit 9", "%1", "@", ",", "-x", "a=b",
	} {
		want := observe(t, cwd, env, "/bin/sh", []string{"/bin/sh", "-c", line})
		path, argv, ok := Direct("", line, findIn(env))
		if !ok {
			continue
		}
		got := observe(t, cwd, env, path, argv)
		if got.code == notStarted { // then fork uses the shell
			continue
		}
		if got.signal != 0 {
			want.stderr, got.signal = "", 0 // the shell reports it on stderr, the runner in its report
		}
		if got != want {
			t.Errorf("%s\n directly %+v\nby shell %+v", line, got, want)
		}
	}
}

// notStarted is the code if exec fails.
const notStarted = -2

func observe(t *testing.T, cwd string, env []string, path string, argv []string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Cmd{Path: path, Args: argv, Dir: cwd, Env: env, Stdout: &stdout, Stderr: &stderr}
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return outcome{code: notStarted}
	}
	got := outcome{stdout: stdout.String(), stderr: stderr.String(), code: cmd.ProcessState.ExitCode()}
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		got.signal = int(status.Signal())
		got.code = 128 + got.signal
	}
	return got
}
