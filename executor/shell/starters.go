package shell

import (
	"strings"
	"sync"
)

// A starter is a program that starts the program named in its arguments, without a shell.
type starter struct {
	commands string // the subcommands that do so; "" = it has no subcommands
	valued   string // options whose value is the next word
	flags    string // if not "": the options without a value; all others have one
	own      int    // how many words of its own stand before the program
	marks    string // options after which the program begins; "" = it needs none
}

const (
	containerFlags = "-d -i -t -P -q --detach --init --interactive --no-healthcheck --oom-kill-disable --privileged --publish-all --quiet --read-only --rm --sig-proxy --tty --replace --tls-verify -T --service-ports --no-deps --build"
	slurmFlags     = "-E -H -I -K -k -l -O -Q -s -u -v -X -Z --exact --exclusive --label --no-kill --overcommit --overlap --preserve-env --pty --quiet --unbuffered --verbose"
)

// starters are programs that users often put before commands. A program that is missing here is treated as one that accepts
// the text of a command, like parallel, tmux or sbatch.
var starters = sync.OnceValue(func() map[string]starter {
	return map[string]starter{
		"builtin": {}, "busybox": {}, "caffeinate": {}, "chronic": {}, "command": {}, "dbus-run-session": {}, "eatmydata": {},
		"exec": {valued: "-a"}, "fakeroot": {}, "firejail": {}, "nohup": {}, "prlimit": {}, "proxychains": {}, "proxychains4": {},
		"setsid": {}, "torsocks": {}, "unbuffer": {}, "valgrind": {}, "nq": {}, "tsp": {valued: "-D -L -N"},
		"chroot": {own: 1}, "chrt": {own: 1}, "faketime": {own: 1}, "taskset": {own: 1},
		"cpulimit": {valued: "-e -l -p"}, "doas": {valued: "-C -a -u"}, "env": {valued: "-C -S -u --chdir --split-string --unset"},
		"flock": {valued: "-E -w --conflict-exit-code --timeout --wait", own: 1}, "ionice": {valued: "-c -n -p --class --classdata"},
		"ltrace": {valued: "-e -o -s"}, "nice": {valued: "-n --adjustment"}, "nsenter": {valued: "-t --target"},
		"numactl": {valued: "-C -N -m -i -p --cpunodebind --membind --physcpubind"},
		"perf":    {commands: "stat record trace", valued: "-e -o -r -C -F -x --event --output --repeat"},
		"runuser": {valued: "-G -c -g -s -u -w"}, "setpriv": {}, "stdbuf": {valued: "-e -i -o --error --input --output"},
		"strace": {valued: "-E -I -O -S -a -b -e -o -p -s -u"}, "sudo": {valued: "-C -D -R -T -U -g -h -p -r -t -u --group --user"},
		"systemd-run": {valued: "-E -H -M -p -u --property --unit"}, "time": {valued: "-f -o --format --output"},
		"timeout": {valued: "-k -s --kill-after --signal", own: 1}, "unshare": {}, "xargs": {valued: "-E -I -L -P -a -d -n -s"},
		"xvfb-run": {valued: "-e -f -n -p -s -w --error-file --auth-file --server-num --server-args"},

		"docker": {commands: "run exec", flags: containerFlags, own: 1}, "docker-compose": {commands: "run exec", flags: containerFlags, own: 1},
		"nerdctl": {commands: "run exec", flags: containerFlags, own: 1}, "podman": {commands: "run exec", flags: containerFlags, own: 1},
		"apptainer":   {commands: "exec", valued: "-B -H -S -W -o --app --bind --env --env-file --home --overlay --pwd --scratch --workdir", own: 1},
		"singularity": {commands: "exec", valued: "-B -H -S -W -o --app --bind --env --env-file --home --overlay --pwd --scratch --workdir", own: 1},
		"incus":       {commands: "exec", own: 1}, "lxc": {commands: "exec", own: 1}, "toolbox": {commands: "run", valued: "-c -d -r --container --distro --release"},
		"distrobox": {commands: "enter", marks: "-- -e"}, "kubectl": {commands: "exec", marks: "--"}, "oc": {commands: "exec", marks: "--"},

		"conda": {commands: "run", valued: "-n -p --cwd --name --prefix"}, "mamba": {commands: "run", valued: "-n -p --cwd --name --prefix"},
		"micromamba": {commands: "run", valued: "-a -e -n -p -r --attach --cwd --env --name --prefix --root-prefix"},
		"bundle":     {commands: "exec"}, "pipenv": {commands: "run"}, "poetry": {commands: "run"}, "pdm": {commands: "run"}, "rye": {commands: "run"},
		"uv":    {commands: "run", valued: "-p --directory --env-file --extra --group --package --project --python --with"},
		"pyenv": {commands: "exec"}, "rbenv": {commands: "exec"}, "direnv": {commands: "exec", own: 1},
		"guix": {commands: "shell environment", marks: "--"}, "nix": {commands: "develop shell", marks: "-c --command"},
		"aws-vault": {commands: "exec", marks: "--"}, "doppler": {commands: "run", marks: "--"}, "op": {commands: "run", marks: "--"},

		"mpiexec": {valued: "-H -N -c -f -hostfile -machinefile -n -np -wdir -x --bind-to --host --hostfile --map-by"},
		"mpirun":  {valued: "-H -N -c -f -hostfile -machinefile -n -np -wdir -x --bind-to --host --hostfile --map-by"},
		"salloc":  {flags: slurmFlags}, "srun": {flags: slurmFlags},
	}
})

// sshHost describes the arguments of ssh before the command.
var sshHost = starter{valued: "-B -D -E -F -I -J -L -O -Q -R -S -W -b -c -e -i -l -m -o -p -w", own: 1}

// starts returns the program that a program starts, with its arguments; words follow the name of the starter. It returns
// nil if words contain no program.
func starts(program string, words []shellWord) []shellWord {
	s, ok := starters()[program]
	if !ok && len(program) > 1 && program[0] == 'g' { // a GNU program on a system with other ones
		s, ok = starters()[program[1:]]
	}
	if !ok {
		return nil
	}
	if s.commands == "" {
		return s.inner(words)
	}
	for i, w := range words {
		if named(s.commands, w.text) {
			return s.inner(words[i+1:])
		}
		if w.isLabel() {
			return nil
		}
	}
	return nil
}

// named reports whether a blank-separated list contains a word.
func named(list, word string) bool {
	for each := range strings.FieldsSeq(list) {
		if each == word {
			return true
		}
	}
	return false
}

// inner returns the words after the options and own words of the starter.
func (s *starter) inner(words []shellWord) []shellWord {
	own, options := s.own, true
	for i := 0; i < len(words); i++ {
		text := words[i].text
		switch {
		case s.marks != "" && named(s.marks, text):
			return words[i+1:]
		case s.marks != "":
		case text == "--":
			options = false
		case options && len(text) > 1 && text[0] == '-':
			if s.takesNext(text) {
				i++
			}
		case isAssignment(text):
		case own > 0:
			own--
			options = false
		default:
			return words[i:]
		}
	}
	return nil
}

// takesNext reports whether the value of an option is the next word.
func (s *starter) takesNext(option string) bool {
	if strings.Contains(option, "=") {
		return false
	}
	if s.flags == "" {
		return named(s.valued, option)
	}
	if option[1] != '-' && len(option) > 2 { // several letters: the last may take a value, or one is followed by its value
		for i := 1; i < len(option); i++ {
			if !named(s.flags, "-"+option[i:i+1]) {
				return i == len(option)-1
			}
		}
		return false
	}
	return !named(s.flags, option)
}
