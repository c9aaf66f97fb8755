package shell

import (
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// wrapperCases are wrappers, their problems and the corrected wrappers. why "": no problem; correct "": no correction.
var wrapperCases = []struct{ wrapper, why, correct string }{
	{"{} || true", "at the beginning of a command", "sh -c {} || true"},
	{"cd /tmp && {}", "at the beginning of a command", "cd /tmp && sh -c {}"},
	{"cd /tmp &&", "at the beginning of a command", "cd /tmp && sh -c {}"},
	{"set -e; {}", "at the beginning of a command", "set -e; eval {}"},
	{". ./env.sh; {}", "at the beginning of a command", ". ./env.sh; sh -c {}"},
	{"X=1 {}", "at the beginning of a command", "X=1 sh -c {}"},
	{"! {}", "at the beginning of a command", "! sh -c {}"},
	{"if true; then {}; fi", "at the beginning of a command", "if true; then sh -c {}; fi"},
	{"(umask 0; {})", "at the beginning of a command", "(umask 0; sh -c {})"},
	{"{ {}; }", "at the beginning of a command", "{ sh -c {}; }"},
	{"echo $({})", "at the beginning of a command", "echo $(sh -c {})"},
	{"true & {} 2>&1 | tee log", "at the beginning of a command", "true & sh -c {} 2>&1 | tee log"},
	{"2>/dev/null {}", "at the beginning of a command", "2>/dev/null sh -c {}"},
	{`"{}"`, "at the beginning of a command", "sh -c {}"},
	{"nice {}", "nice starts", "nice sh -c {}"},
	{"nice", "nice starts", "nice sh -c {}"},
	{"nice '{}'", "nice starts", "nice sh -c {}"},
	{"nice -n 5 {}", "nice starts", "nice -n 5 sh -c {}"},
	{"nice -5 ionice -c3 {} >> log", "ionice starts", "nice -5 ionice -c3 sh -c {} >> log"},
	{"/usr/bin/env -u X A=1 {}", "env starts", "/usr/bin/env -u X A=1 sh -c {}"},
	{"nohup {} &", "nohup starts", "nohup sh -c {} &"},
	{"time -p {}", "time starts", "time -p sh -c {}"},
	{"timeout -k 5 60 {}", "timeout starts", "timeout -k 5 60 sh -c {}"},
	{"timeout 60", "timeout starts", "timeout 60 sh -c {}"},
	{"stdbuf -o L {}", "stdbuf starts", "stdbuf -o L sh -c {}"},
	{"setsid -w {}", "setsid starts", "setsid -w sh -c {}"},
	{"exec {}", "exec starts", "exec sh -c {}"},
	{"sudo -u bio -E nice {}", "nice starts", "sudo -u bio -E nice sh -c {}"},
	{"flock -w 5 lock {}", "flock starts", "flock -w 5 lock sh -c {}"},
	{"docker run -it IMAGE {}", "docker starts", "docker run -it IMAGE sh -c {}"},
	{`docker run --rm -v "$PWD:/data" -w /data image:1 {}`, "docker starts", `docker run --rm -v "$PWD:/data" -w /data image:1 sh -c {}`},
	{"podman exec -itw /x name {}", "podman starts", "podman exec -itw /x name sh -c {}"},
	{"docker compose run --rm app {}", "docker starts", "docker compose run --rm app sh -c {}"},
	{"conda run -n x", "conda starts", "conda run -n x sh -c {}"},
	{"conda run --no-capture-output -n x {}", "conda starts", "conda run --no-capture-output -n x sh -c {}"},
	{"apptainer exec -B /data image.sif {}", "apptainer starts", "apptainer exec -B /data image.sif sh -c {}"},
	{"srun -N 1 --exclusive --mem 4G {}", "srun starts", "srun -N 1 --exclusive --mem 4G sh -c {}"},
	{"kubectl exec pod -- {}", "kubectl starts", "kubectl exec pod -- sh -c {}"},
	{"nix develop -c {}", "nix starts", "nix develop -c sh -c {}"},
	{"ssh host bash -c {}", "ssh joins", "ssh host {}"},
	{"ssh -p 22 host sh -lc {} > log", "ssh joins", "ssh -p 22 host {} > log"},

	{"bash -c $'{}'", "in $'…'", ""},
	{"true # {}", "in a comment", ""},
	{"cat <<E\n{}\nE", "in a here-document", ""},
	{"cat <<-'E'\n\t{}\n\tE\n", "in a here-document", ""},
	{"echo $(( {} ))", "in $(( ))", ""},
	{"(( {} ))", "in an arithmetic expression", ""},
	{"echo ${X:-{}}", "in ${ }", ""},
	{`bash -c "echo '{}'"`, "quotes within", ""},
	{`bash -c 'echo "{}"'`, "quotes within", ""},
	{`bash -c "bash -c '{}'"`, "quotes within", ""},
	{`bash -c 'cd x && cat <<E
{}
E'`, "in a here-document", ""},
	{`bash -c 'true # {}'`, "in a comment", ""},
	{`ssh host "sh -c '{}'"`, "quotes within", ""},
	{`python3 -c "print('{}')"`, "quotes within", ""},
	{"bash -c '{}", "could not read any command", ""},
	{"echo $(true {}", "could not read any command", ""},

	{"", "", ""}, {" {} ", "", ""}, {"sh -c {}", "", ""}, {"bash -c '{}'", "", ""}, {`bash -c "sleep 1; {}"`, "", ""}, {"bash -c", "", ""},
	{"bash -c 'nice {}'", "", ""}, {"nice sh -c {}", "", ""}, {"nice -n 5 bash -lc '{}'", "", ""}, {"timeout 60 bash -c", "", ""},
	{"eval {}", "", ""}, {"set -e; eval {}", "", ""}, {"sh -c 'echo \"$1\"' x {}", "", ""},
	{"docker run --rm IMAGE sh -c {}", "", ""}, {"docker run --rm IMAGE run-it {}", "", ""}, {"docker run -e X={} IMAGE cmd", "", ""},
	{"ssh ADDRESS {}", "", ""}, {`ssh host "cd x && {}"`, "", ""}, {"parallel {} ::: FILENAMES", "", ""}, {"tmux send-keys {} C-m", "", ""},
	{"echo {} >> commands.sh", "", ""}, {`bash -lc "conda activate ENV && {}"`, "", ""}, {"bash -c '. env.sh && {}'", "", ""},
	{"sbatch --wait --wrap={}", "", ""}, {"flock lock -c {}", "", ""}, {"./wrap.sh", "", ""}, {"watch {}", "", ""},
	{"# it's mine\nsh -c {}", "", ""}, {`echo "don't {}"`, "", ""}, {"cat <<E\nit's\nE\nsh -c {}", "", ""},
	{"export test='one'\nbash -c", "", ""}, {"for i in 1 2; do sh -c {}; done", "", ""}, {"case x in (x) sh -c {};; esac", "", ""},
	{"sh -c {} </dev/null >\"$(date +%F).log\" 2>&1", "", ""}, {`find . -name x -exec cat \{} \; | xargs -I% sh -c {}`, "", ""},
}

// TestCheckWrapper checks the cases, and that CheckWrapper accepts its own corrections.
func TestCheckWrapper(t *testing.T) {
	for _, c := range wrapperCases {
		p := CheckWrapper(c.wrapper, "")
		switch {
		case p == nil && c.why != "":
			t.Errorf("%q: no problem, want %q", c.wrapper, c.why)
		case p != nil && (c.why == "" || !strings.Contains(p.Why, c.why) || p.Correct != c.correct):
			t.Errorf("%q: %s, correct %q;\nwant %q, correct %q", c.wrapper, p.Why, p.Correct, c.why, c.correct)
		case p != nil && p.Correct != "":
			if again := CheckWrapper(p.Correct, ""); again != nil {
				t.Errorf("%q is corrected to %q, whose problem is: %s", c.wrapper, p.Correct, again.Why)
			}
		}
	}
	if p := CheckWrapper("nice {}", "bash -euo pipefail"); p == nil || p.Correct != "nice bash -euo pipefail -c {}" {
		t.Errorf("with a shell: %+v", p)
	}
	if p := CheckWrapper("nice {}", "/usr/bin/fish"); p != nil {
		t.Errorf("of fish: %+v", p)
	}
}

// TestCorrectedWrappersExecute executes a command of several words in each corrected wrapper.
func TestCorrectedWrappersExecute(t *testing.T) {
	for _, wrapper := range []string{"{} || true", "cd / && {}", "set -e; {}", "X=1 {}", "if true; then {}; fi", "(umask 0; {})", "{ {}; }",
		"nice {}", "nice", "nice -n 5 {}", "env -u X A=1 {}", "timeout -k 5 60 {}", "stdbuf -o L {}", "exec {}", "setsid -w {}", "2>/dev/null {}"} {
		p := CheckWrapper(wrapper, "")
		if p == nil {
			t.Errorf("%q has no problem", wrapper)
			continue
		}
		out, err := exec.Command("/bin/sh", "-c", Line(p.Correct, "echo 'one  two'; echo three # done")).CombinedOutput()
		if err != nil || string(out) != "one  two\nthree\n" {
			t.Errorf("%q, corrected to %q: %v\n%s", wrapper, p.Correct, err, out)
		}
	}
}

// TestLegacyWrapper executes a command with the prefixes and suffixes of older workfiles.
func TestLegacyWrapper(t *testing.T) {
	for _, c := range []struct{ prefix, suffix, want, out string }{
		{"", "", "", "one  two\nthree\n"},
		{"bash -c", "", "bash -c {}", "one  two\nthree\n"},
		{"bash -c", ";echo after", "bash -c {} ;echo after", "one  two\nthree\nafter\n"},
		{"bash -c '", "'", "bash -c '{}'", "one  two\nthree\n"},
		{"bash -c ' cd /;\n", "'", "bash -c ' cd /;\n{}'", "one  two\nthree\n"},
		{"export T='one'\nbash -c", "", "export T='one'\nbash -c {}", "one  two\nthree\n"},
		{"nice", "", "nice sh -c {}", "one  two\nthree\n"},
		{"nice ", "|cat", "nice sh -c {} |cat", "one  two\nthree\n"},
		{"", ";echo after", "eval {} ;echo after", "one  two\nthree\nafter\n"},
		{"cd / &&", "", "cd / && eval {}", "one  two\nthree\n"},
		{"echo", "", "echo {}", "echo 'one  two'; echo three\n"},
	} {
		wrapper := LegacyWrapper(c.prefix, c.suffix)
		if wrapper != c.want {
			t.Errorf("%q and %q: %q, want %q", c.prefix, c.suffix, wrapper, c.want)
		}
		if p := CheckWrapper(wrapper, ""); p != nil {
			t.Errorf("%q: %s", wrapper, p.Why)
		}
		out, err := exec.Command("/bin/sh", "-c", Line(wrapper, "echo 'one  two'; echo three")).CombinedOutput()
		if err != nil || string(out) != c.out {
			t.Errorf("%q: %v\n%s", wrapper, err, out)
		}
	}
}

// TestCheckAnyWrapper: CheckWrapper parses any random wrapper to its end, and accepts the corrections that it proposes.
func TestCheckAnyWrapper(t *testing.T) {
	part := rapid.SampledFrom([]string{"{}", "{", "}", "'", `"`, "$", "$'", "$(", "$((", "${x:-", "`", "(", ")", "<<E\n", "\nE\n", "#", " ", "\\", "&&", ";", "|", ">f",
		"nice", "sh -c", "ssh h", "timeout 5", "docker run i", "--", "-c", "X=1", "if", "eval", "é"})
	rapid.Check(t, func(t *rapid.T) {
		wrapper := strings.Join(rapid.SliceOfN(part, 0, 12).Draw(t, "wrapper"), rapid.SampledFrom([]string{"", " "}).Draw(t, "between"))
		if p := CheckWrapper(wrapper, ""); p != nil && p.Correct != "" {
			if again := CheckWrapper(p.Correct, ""); again != nil && again.Correct != "" {
				t.Fatalf("%q is corrected to %q, whose problem is: %s", wrapper, p.Correct, again.Why)
			}
		}
		Line(wrapper, "echo 'one'")
		LegacyWrapper(wrapper, "'")
	})
}
