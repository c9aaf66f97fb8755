package cluster

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"wf/executor"
	"wf/executor/login"
	"wf/executor/procattr"
	"wf/executor/shell"
)

// The folder of a run on the file system that all machines of the cluster share:
//
//	job.sh       what the batch system starts, see there
//	conf         its settings, as a shell script
//	env          a shell script that gives the commands the environment of the run
//	b/BATCH      the names of the tasks of a batch, a line each
//	t/NAME/      a task: vars (how its command is started, as a shell script), out, err, values ($WF_OUTPUT), cmd (a long command),
//	             input ($WF_INPUT, if the command mentions it)
//	starts/NAME  made by the job before it starts the command, so that it cannot be started a second time; the session makes it
//	             for a task that must not start any more
//	stops/NAME   the session has the batch system send a signal to the task, which the file names: TERM or KILL; or left: its step
//	             has gone on with another task, so it must get no signal any more
//	news/K.NAME  K = s: the task has started, e: it has ended, f: it cannot start, x: its step has failed; removed when that is
//	             in the journal
//	news/p.BATCH an allocation has begun to start tasks
//	pool/BATCH/  an allocation: list (the names of its tasks), closed (it takes no more), ends (a line for each step that ended),
//	             at.N (the task that its step N executes)
//
// The name of a task is NODE.EXECUTION.

// A folder writes the scripts that work in the folder of a run. It does not change, and can be used from any goroutine.
type folder struct {
	word     string   // its path, as a word of a shell
	cwd      string   // the working directory of the commands
	env      []string // of the commands
	index    string   // see Engine.Index
	step     string   // see Pooler.StepID; "" = the engine has no steps
	machine  string   // see Pooler.Machine
	restarts string   // see Requeuer.Restarts; "" = the engine starts nothing again
	here     string   // the machine of the daemon, if a command there can ask the daemon
	umask    string   // of the commands, as a word of a shell
	// apart says that the machine of the daemon does not see the folder, and the cluster not the folders of that machine.
	apart bool
}

// newFolder returns the folder of a run with this name, in a folder of the shared file system; "" = that of the run here.
func newFolder(c *Cluster, spec *executor.Spec, env []string, shared, name string) *folder {
	f := &folder{cwd: spec.Cwd, env: env, index: c.Engine.Index(), apart: shared != "", umask: `"$wf_login"`}
	if pooler, can := c.Engine.(Pooler); can {
		f.step, f.machine = pooler.StepID(), pooler.Machine()
	}
	if requeuer, can := c.Engine.(Requeuer); can {
		f.restarts = requeuer.Restarts()
	}
	dir := shared + "/" + name
	rest, inHome := strings.CutPrefix(dir, "~/")
	switch {
	case !f.apart:
		f.word = login.Quote(filepath.Join(spec.Dir, "cluster-"+c.Name))
	case inHome:
		f.word = `"$HOME"/` + login.Quote(rest)
	default:
		f.word = login.Quote(dir)
	}
	attributes, err := procattr.Parse(spec.Attributes)
	switch {
	case f.apart: // what the machine of the daemon has means nothing there, but for what belongs to the run
		f.env = slices.DeleteFunc(slices.Clone(env), func(v string) bool { return !strings.HasPrefix(v, "WF_") })
	case err == nil && attributes.Umask != nil:
		f.umask = fmt.Sprintf("%04o", *attributes.Umask)
	}
	if host, err := os.Hostname(); err == nil {
		f.env = append(slices.Clip(f.env), daemonHostVariable+"="+host)
		if !f.apart {
			f.here = host
		}
	}
	return f
}

// daemonHostVariable names the machine of the daemon to commands on other machines, so that wf starts no daemon there.
const daemonHostVariable = "WF_DAEMON_HOST"

//go:embed job.sh
var jobScript string

//go:embed pool.sh
var poolScript string

//go:embed step.sh
var stepScript string

// taskName returns the name of a task in the folder of the run.
func taskName(id executor.ID) string {
	return strconv.Itoa(id.Node) + "." + strconv.Itoa(id.Execution)
}

// parseTaskName is the inverse of taskName.
func parseTaskName(name string) (id executor.ID, ok bool) {
	node, execution, found := strings.Cut(name, ".")
	if !found {
		return id, false
	}
	var err error
	if id.Node, err = strconv.Atoi(node); err == nil {
		id.Execution, err = strconv.Atoi(execution)
	}
	return id, err == nil
}

// exports returns a shell script that exports environment variables. Each element of env is KEY=VALUE. Variables with a name
// that a shell does not allow are left out.
func exports(env []string) string {
	var b strings.Builder
	for _, v := range env {
		if name, value, ok := strings.Cut(v, "="); ok && isName(name) {
			fmt.Fprintf(&b, "export %s=%s\n", name, login.Quote(value))
		}
	}
	return b.String()
}

func isName(s string) bool {
	for i, r := range s {
		if r != '_' && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// notWritten is the exit status of scripts whose files could not be written. Nothing was submitted then.
const notWritten = 95

// writeFile returns a command that writes a file without starting a process.
func writeFile(path, text string) string {
	return fmt.Sprintf("printf %%s %s > %s || exit %d\n", login.Quote(text), path, notWritten)
}

// upload returns a script that makes the files of a batch in the folder of the run, which must exist. The script can be
// executed again.
func (f *folder) upload(b *batch) string {
	var list strings.Builder
	for _, t := range b.tasks {
		list.WriteString(taskName(t.job.ID) + "\n")
	}
	return f.files(b.tasks) + writeFile("b/"+b.name, list.String())
}

// files returns a script that makes the files of tasks.
func (f *folder) files(tasks []*task) string {
	if len(tasks) == 0 {
		return ""
	}
	var script strings.Builder
	script.WriteString("mkdir -p")
	for _, t := range tasks {
		script.WriteString(" t/" + taskName(t.job.ID))
	}
	fmt.Fprintf(&script, " || exit %d\n", notWritten)
	for _, t := range tasks {
		folder := "t/" + taskName(t.job.ID)
		if len(t.job.Command) > longCommand {
			script.WriteString(writeFile(folder+"/cmd", t.job.Command))
		}
		vars, input := f.variables(t)
		if input != nil {
			script.WriteString(writeFile(folder+"/input", string(input)))
		}
		script.WriteString(writeFile(folder+"/vars", vars))
	}
	return script.String()
}

// longCommand is the length of commands, in bytes, that the shell reads from a file: a program cannot have longer arguments
// than 128 KiB.
const longCommand = 100_000

// variables returns the script vars of a task: the functions wf_vars, which exports its environment, and wf_run, which becomes
// its shell, and what job.sh needs besides. If the cluster does not see the folder of the run on the machine of the daemon, the
// file for values is in the folder of the task. input is the text of the file with the values of the task; nil = it has none.
func (f *folder) variables(t *task) (vars string, input []byte) {
	words, err := shell.Words(t.job.Shell)
	if err != nil {
		words = []string{t.job.Shell} // it does not exist, which the job reports
	}
	missing := shell.NotFound(t.job.Shell, words[0])
	if t.job.Launcher != nil { // it finds the shell, or says that it cannot
		missing, words = t.job.Launcher[0]+": not found in PATH", append(t.job.Launcher[:len(t.job.Launcher):len(t.job.Launcher)], words...)
	}
	env, input, err := shell.Values(t.job.Command, t.job.Env)
	if err != nil { // a crash came before the end that take has given the task: the job does not start the command
		words, missing = []string{""}, err.Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "wf_shell=%s\nwf_noshell=%s\n", login.Quote(words[0]), login.Quote(oneLine(missing)))
	if t.job.Merge {
		b.WriteString("wf_merge=1\n")
	}
	if t.shape.Requeue {
		b.WriteString("wf_idempotent=1\n")
	}
	b.WriteString("wf_vars() {\n:\n" + exports(env))
	if f.apart {
		b.WriteString("export " + valuesVariable + "=\"$wf_task/values\"\n")
	}
	if input != nil {
		b.WriteString("export " + shell.InputVariable + "=\"$wf_task/input\"\n")
	}
	b.WriteString("}\nwf_run() {\nexec")
	for _, v := range f.env {
		if name, _, ok := strings.Cut(v, "="); ok && name != "" && !isName(name) && !f.apart {
			if !strings.HasSuffix(b.String(), "exec") {
				b.WriteString(" " + login.Quote(v))
				continue
			}
			b.WriteString(" env " + login.Quote(v))
		}
	}
	for _, w := range words {
		b.WriteString(" " + login.Quote(w))
	}
	if len(t.job.Command) > longCommand {
		b.WriteString(" \"$wf_task/cmd\"\n}\n")
	} else {
		b.WriteString(" -c " + login.Quote(t.job.Command) + "\n}\n")
	}
	return b.String(), input
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// valuesVariable is the variable with the path of the file for values. An executor that does not share a file system with
// the daemon copies this file.
const valuesVariable = "WF_OUTPUT"

// pool returns a script, for after prepare, that makes the files of an allocation.
func (f *folder) pool(b *batch) string {
	folder, or := "pool/"+b.name, fmt.Sprintf(" || exit %d\n", notWritten)
	list := ":"
	if len(b.tasks) > 0 {
		list = "printf '%s\\n'" + names(b.tasks)
	}
	return "if [ ! -f pool.sh ]; then\n" + writeFile("step.$$", stepScript) + "mv step.$$ step.sh" + or + writeFile("pool.$$", poolScript) + "mv pool.$$ pool.sh" + or + "fi\n" +
		"mkdir -p " + folder + or + list + " > " + folder + "/list" + or
}

// give returns a script, for after prepare, that gives tasks to an allocation. It prints the name of the allocation if that takes
// no more. The script can be executed again: an allocation starts a task only once.
func (f *folder) give(b *batch, tasks []*task) string {
	return fmt.Sprintf("printf '%%s\\n'%s >> pool/%s/list || exit %d\n[ ! -e pool/%[2]s/closed ] || echo %[2]s\n", names(tasks), b.name, notWritten)
}

// seal returns a script, for after prepare, that lets an allocation start nothing more.
func (f *folder) seal(b *batch) string {
	return fmt.Sprintf(": > pool/%s/closed || exit %d\n", b.name, notWritten)
}

// claim returns a script, for after prepare, that keeps tasks from starting. It prints the names of those that never start.
func (f *folder) claim(tasks []*task) string {
	if len(tasks) == 0 {
		return ""
	}
	return "set -C\nfor t in" + names(tasks) + "; do\n" +
		"\t{ echo stopped > starts/$t; } 2> /dev/null && echo $t || { read -r by < starts/$t && [ \"$by\" = stopped ] && echo $t; }\ndone 2> /dev/null\nset +C\n"
}

// mark returns a script, for after prepare, that lets tasks know that a signal comes from the session: TERM if all processes of
// a task get it, KILL if job.sh is to kill them. It prints the names of those that have ended, in a step that has gone on with
// another task, after "left ". The steps of the others take no more tasks.
func (f *folder) mark(tasks []*task, signal string) string {
	if len(tasks) == 0 {
		return ""
	}
	return fmt.Sprintf(`set -C
for t in%s; do
	{ echo %[2]s > stops/$t; } 2> /dev/null && continue
	read -r by < stops/$t
	[ "$by" = left ] && echo "left $t" || echo %[2]s >| stops/$t
done
set +C
`, names(tasks), signal)
}

func names(tasks []*task) string {
	var b strings.Builder
	for _, t := range tasks {
		b.WriteString(" " + taskName(t.job.ID))
	}
	return b.String()
}

// remove returns a script that removes the folder.
func (f *folder) remove() string { return "rm -rf " + f.word }

// prepare returns a script that makes the folder of the run, if it does not exist, and enters it.
func (f *folder) prepare() string {
	or := fmt.Sprintf(" || exit %d\n", notWritten)
	return "wf_login=$(umask)\numask 077\nmkdir -p " + f.word + " && cd " + f.word + or +
		"if [ ! -f job.sh ]; then\nmkdir -p b t starts stops news" + or + writeFile("env", f.environment()) +
		"printf '%s\\n' " + login.Quote(f.settings()) + "wf_umask=" + f.umask + " > conf" + or +
		writeFile("job.$$", jobScript) + "mv job.$$ job.sh" + or + "fi\n"
}

// settings returns the script conf but for the umask.
func (f *folder) settings() string {
	return "wf_cwd=" + login.Quote(f.cwd) + "\nwf_index=" + f.index + "\nwf_step=" + login.Quote(f.step) + "\nwf_machine=" + login.Quote(f.machine) + "\nwf_restarts=" + f.restarts + "\nwf_here=" + login.Quote(f.here) + "\n"
}

// kept are the beginnings of the variables that a command gets from the batch system although the run may have others: they
// tell which processors and devices it may use, and where it may write.
var kept = []string{"SLURM", "PMI", "CUDA_", "GPU_", "NVIDIA_", "ROCR_", "HIP_", "ZE_", "ONEAPI_", "TMPDIR=",
	"SGE_", "JOB_ID=", "JOB_NAME=", "NSLOTS=", "PE_HOSTFILE=", "PBS_", "LSB_", "LSF_", "HQ_"}

func isKept(v string) bool {
	return slices.ContainsFunc(kept, func(prefix string) bool { return strings.HasPrefix(v, prefix) })
}

// environment returns the script env. A command gets the variables of the run and no others but those of kept, which count
// more. If the environment of the daemon means nothing on the cluster, a command gets all variables of the batch system.
func (f *folder) environment() string {
	// Slurm sets it to NONE, so that programs that srun starts would have no variables.
	const export = "[ -z \"$SLURM_EXPORT_ENV\" ] || export SLURM_EXPORT_ENV=ALL\n"
	if f.apart {
		return exports(f.env) + export
	}
	text := clearVariables
	for _, v := range f.env {
		name, _, _ := strings.Cut(v, "=")
		switch {
		case !isKept(v):
			text += exports([]string{v})
		case isName(name) && (name == "SLURM_CONF" || !strings.HasPrefix(name, "SLURM")): // others are those of the daemon's own job
			text += "[ -n \"${" + name + "+x}\" ] || " + exports([]string{v})
		}
	}
	return text + export
}

// clearVariables removes the variables of the batch system but for those of kept, and starts no process.
var clearVariables = `IFS='
'
set -f
for wf_i in $(export -p); do
	case $wf_i in
	export\ *) wf_i=${wf_i#export } ;;
	declare\ -x\ *) wf_i=${wf_i#declare -x } ;;
	*) continue ;;
	esac
	case ${wf_i%%=*}= in
	` + strings.Join(kept, "*|") + `) ;;
	*) command unset "${wf_i%%=*}" ;;
	esac
done
set +f
unset IFS
`

// Bounds of one look at the files, in bytes and files.
const (
	lookOutput = 4 << 20 // of one output
	lookNews   = 2000
)

// look returns a script that prints what is new in the folder of the run: a line for each start and end, and how outputs
// have grown. Before that it removes what is in the journal already.
func (f *folder) look(wish wish) string {
	var b strings.Builder
	fmt.Fprintf(&b, "(\ncd %s || { echo '. gone'; exit; }\n", f.word)
	if len(wish.done) > 0 {
		b.WriteString("rm -rf")
		for _, name := range wish.done {
			fmt.Fprintf(&b, " t/%s news/s.%[1]s news/e.%[1]s news/f.%[1]s news/x.%[1]s stops/%[1]s", name)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, `n=0
for f in news/*; do
	[ -f "$f" ] && IFS= read -r line < "$f" || continue # an incomplete line
	printf '%%s %%s\n' "${f#news/}" "$line"
	n=$((n+1)); [ $n -lt %d ] || break
done
`, lookNews)
	for _, o := range wish.outputs {
		fmt.Fprintf(&b, "grown %s %s %d\n", taskName(o.id), o.stream, o.from)
	}
	b.WriteString("echo .\n)\n")
	return b.String()
}

// grown is a function of the script look: it prints what an output has gained, after a line with its length.
var grown = fmt.Sprintf(`grown() {
	f=t/$1/$2
	[ -f $f ] || return
	size=$(($(wc -c < $f)))
	n=$((size - $3))
	[ $n -gt 0 ] || return
	[ $n -lt %d ] || n=%[1]d
	echo "o.$1 $2 $3 $n"
	tail -c +$(($3 + 1)) $f | head -c $n
	echo
}
`, lookOutput)
