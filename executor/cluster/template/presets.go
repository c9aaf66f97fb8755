package template

// presets are the profiles of known batch systems, by type. They can be changed key by key in the configuration.
var presets = map[string]Profile{
	"gridengine": gridEngine,
	"hyperqueue": hyperQueue,
	"lsf":        lsf,
	"pbs":        pbs,
	"torque":     torque(),
}

// gridEngine is for Sun/Oracle/Univa/Altair Grid Engine and Son of Grid Engine; tried with 8.1.9. qstat without -xml shows ten
// characters of a name only. With -notify, USR2 comes before KILL, by the time that the queue says.
var gridEngine = Profile{
	Submit: Submit{
		Cmd:        "qsub -terse -S /bin/sh -r n -notify -wd / -o /dev/null -e /dev/null -N {name} {flags} {script}",
		ID:         `^(\d+)(?:\.\d+-\d+:\d+)?$`,
		Array:      "-t 1-{tasks}",
		CPUs:       "-pe smp {cpus}",
		Mem:        "-l h_rss={mem_mb}M,mem_free={mem_mb}M",
		GPUs:       "-l gpu={gpus}",
		Time:       "-l h_rt={time}",
		Partition:  "-q {partition}",
		Account:    "-P {account}",
		Constraint: "-l {constraint}",
		Exclude:    "-l h='!('{exclude_bars}')'",
		Refused:    `^Unable to run job: |^Unable to read script|^qsub: `,
		Busy:       `jobs are allowed|job limit|maximum number of`,
		Unclear:    `(?i)qmaster|commlib|time-?out|communication|gdi request|try again`,
	},
	Array: Array{
		Index: "SGE_TASK_ID",
		First: "1",
	},
	Signals: "USR1 USR2",
	Status: Query{
		Cmd:   `qstat -xml -g d -s prs -u "$(id -un)"`,
		End:   `</job_info>\s*\z`,
		Job:   `<job_list`,
		Name:  `<JB_name>([^<]*)</JB_name>`,
		ID:    `<JB_job_number>(\d+)</JB_job_number>`,
		Index: `<tasks>(\d+)</tasks>`,
		State: `<state>([^<]*)</state>`,
		Host:  `<queue_name>[^<]*@([^<]+)</queue_name>`,
	},
	States: States{
		Waiting:   "qw hqw hRwq hRqw Rq Rqw Eqw Ehqw EhRqw",
		Running:   "r t Rr Rt s ts S tS T tT Rs Rts RS RtS RT RtT hr ht hs dr dt dRr dRt ds dS dT dRs dRS dRT dqw",
		Completed: "0 100",
		Timeout:   "37",
		NotBegun:  "1 3 4 7 8 9 10 11 21 26 27 28 38",
	},
	Cancel: Cancel{
		Cmd:  "qdel {ids}",
		Task: "{job}.{index}",
	},
	Accounting: Query{
		Cmd:    "qacct -j {id}",
		Job:    `^={20,}`,
		Name:   `^jobname +(\S+)`,
		ID:     `^jobnumber +(\d+)`,
		Index:  `^taskid +(\d+)`,
		State:  `^failed +(\d+)`,
		Host:   `^hostname +(\S+)`,
		Reason: `^failed +\d+ *: *(.*\S)`,
	},
}

// pbs is for OpenPBS and PBS Professional. It follows their documentation.
var pbs = Profile{
	Submit: Submit{
		Cmd:        "qsub -S /bin/sh -r n -j oe -o /dev/null -N {name} {flags} {script}",
		ID:         `^(\d+)(?:\[\])?(?:\.\S*)?$`,
		Array:      "-J 0-{last}",
		CPUs:       "-l ncpus={cpus}",
		Mem:        "-l mem={mem_mb}mb",
		GPUs:       "-l ngpus={gpus}",
		Time:       "-l walltime={time}",
		Partition:  "-q {partition}",
		Account:    "-A {account}",
		Constraint: "-l {constraint}",
		Refused:    `^qsub: `,
		Busy:       `(?i)would exceed .*limit|maximum number of jobs|too many jobs|limit on number of jobs`,
		Unclear:    `(?i)connect|communication|time-?out|timed out|end of file|protocol`,
	},
	Array: Array{
		Index: "PBS_ARRAY_INDEX",
		First: "0",
	},
	Status: pbsQuery("qstat -f -t"),
	States: States{
		Waiting:   "Q H W T M",
		Running:   "R E S U B",
		Completed: "F X C",
	},
	Cancel: Cancel{
		Cmd:  "qdel {ids}",
		Task: "{job}[{index}]",
		Term: "qsig -s SIGTERM {id} || qdel {id}",
	},
	Accounting: pbsQuery("qstat -x -f -t {ids}"),
}

// pbsQuery returns a query with the fields that qstat -f prints for each job.
func pbsQuery(cmd string) Query {
	return Query{
		Cmd:    cmd,
		Job:    `^Job Id: `,
		Name:   `^\s+Job_Name = (\S+)`,
		ID:     `^Job Id: (\d+)`,
		Index:  `^Job Id: \d+\[(\d+)\]`,
		State:  `^\s+job_state = (\w+)`,
		Host:   `^\s+exec_host = ([^/\s+]+)`,
		Reason: `^\s+comment = (.*\S)`,
	}
}

// torque returns the profile for Torque, which is like OpenPBS. It follows its documentation.
func torque() Profile {
	p := pbs
	p.Submit.Array, p.Array.Index = "-t 0-{last}", "PBS_ARRAYID"
	p.Submit.CPUs, p.Submit.GPUs, p.Submit.Constraint = "-l nodes=1:ppn={cpus}", "", "-l feature={constraint}"
	p.Accounting.Cmd = "qstat -f -t {ids}"
	return p
}

// lsf is for IBM Spectrum LSF 10.1. It follows its documentation. bjobs fails if there are no jobs.
var lsf = Profile{
	Submit: Submit{
		Cmd:        "bsub -rn -cwd / -o /dev/null -e /dev/null {flags} -J {name} < {script}",
		ID:         `Job <(\d+)> is submitted`,
		CPUs:       "-n {cpus} -R 'span[hosts=1]'",
		Mem:        "-M {mem_mb}MB -R 'rusage[mem='{mem_mb}'MB]'",
		GPUs:       "-gpu num={gpus}",
		Time:       "-W {time_min}",
		Partition:  "-q {partition}",
		Account:    "-P {account}",
		Constraint: "-R 'select['{constraint}']'",
		Refused:    `Job not submitted|Request aborted|Bad .* specified|Illegal|No such queue`,
		Busy:       `(?i)pending job (threshold|limit)|job limit|too many`,
		Unclear:    `(?i)communication|timed? ?out|connection|LSF is down|not responding|try later`,
	},
	Array: Array{
		Name:  "{name}[1-{tasks}]",
		Index: "LSB_JOBINDEX",
		First: "1",
	},
	Signals: "USR2",
	Status: Query{
		Cmd: `j=$(bjobs -a -noheader -o "jobid jobindex stat exec_host exit_reason job_name delimiter='|'" 2>&1) || case $j in
*"No "*"job found"*) j= ;;
*) printf '%s\n' "$j" >&2; (exit 1) ;;
esac && printf '%s\n' "$j"`,
		Name:   `\|(wf-[^|\[]+)(?:\[\d+\])?\s*$`,
		ID:     `^(\d+)\|`,
		Index:  `^\d+\|([1-9]\d*)\|`,
		State:  `^\d+\|\d*\|(?:EXIT\|[^|]*\|)?(TERM_[A-Z_]+|[A-Z_]+)`,
		Host:   `^\d+\|\d*\|[A-Z_]+\|(?:\d+\*)?([^|:-][^|:]*)`,
		Reason: `\|(TERM_[^|]*)\|`,
	},
	States: States{
		Waiting:   "PEND PSUSP WAIT PROV",
		Running:   "RUN SSUSP USUSP",
		Completed: "DONE EXIT TERM_EXTERNAL_SIGNAL TERM_UNKNOWN",
		Cancelled: "TERM_ADMIN TERM_OWNER TERM_FORCE_ADMIN TERM_FORCE_OWNER",
		OOM:       "TERM_MEMLIMIT TERM_SWAP",
		Timeout:   "TERM_RUNLIMIT TERM_CPULIMIT TERM_DEADLINE TERM_WINDOW",
		Preempted: "TERM_PREEMPT TERM_LOAD",
		NotBegun:  "TERM_CWD_NOTEXIST",
	},
	Cancel: Cancel{
		Cmd:  "bkill -s KILL {ids}",
		Task: "{job}[{index}]",
		Term: "bkill -stat pend {id}; bkill -s TERM {id}",
	},
}

// hyperQueue is for HyperQueue 0.15 and later. It follows its documentation. A task that cannot be restarted counts as failed
// after the loss of its worker.
var hyperQueue = Profile{
	Submit: Submit{
		Cmd:     "hq submit --output-mode=json --name={name} --cwd=/ --stdout=none --stderr=none --crash-limit=1 {flags} -- /bin/sh {script}",
		ID:      `"id":\s*(\d+)`,
		CPUs:    "--cpus={cpus}",
		Mem:     "--resource=mem={mem_mb}",
		GPUs:    "--resource=gpus/nvidia={gpus}",
		Time:    "--time-limit={time_s}s",
		Refused: `^error: |(?i)invalid`,
		Unclear: `(?i)connect|server|time-?out|timed out|broken pipe|reset`,
	},
	Status: Query{
		Cmd:   "hq job list --all --output-mode=json",
		End:   `\]\s*\z`,
		Job:   `\{\s*"id":`,
		Name:  `"name":\s*"([^"]*)"`,
		ID:    `"id":\s*(\d+)`,
		State: `"(canceled|failed|finished|running|waiting)":\s*[1-9]`,
	},
	States: States{
		Waiting:   "waiting",
		Running:   "running",
		Completed: "finished failed",
		Cancelled: "canceled",
	},
	Cancel: Cancel{
		Cmd: "hq job cancel {ids_commas}",
	},
}
