package convert

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"wf/graph/pattern"
)

// A snakeJob is a job of a dry run, or a node of the graph of jobs.
type snakeJob struct {
	id        string
	line      int
	rule      string
	wildcards []string // their values
	inputs    []string
	outputs   []string
	attrs     map[string]string
	command   string
	inDAG     bool
	inRun     bool // the dry run shows it
	message   bool // its rule has a message, which the dry run shows instead of details
}

// A snakeReader reads what snakemake --dag and snakemake -n -p print, one after the other or only one of them.
type snakeReader struct {
	b    *builder
	jobs map[string]*snakeJob // by id
	ids  []string             // in order
	dag  *drawing
	lost map[string]bool // resources that no attribute expresses
	temp []string        // files that snakemake would remove
}

// readSnakemake reads the graph of jobs and the dry run of a Snakefile. Jobs become nodes that are named after their
// rule and wildcards, with the commands that the dry run prints.
func readSnakemake(b *builder, data []byte) {
	r := &snakeReader{b: b, jobs: map[string]*snakeJob{}, lost: map[string]bool{}}
	lines := strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	lines = r.readDAG(lines)
	r.readDryRun(lines)
	if len(r.jobs) == 0 {
		panic(&Error{Line: 1, Msg: "it contains neither the graph of snakemake --dag nor a dry run of snakemake -n -p",
			Fix: "(snakemake --dag; snakemake -n -p) | wf new FILE --from snakemake -"})
	}
	r.build()
}

var (
	snakeDated = pattern.Of(`^\[[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d \d{4}\]$`)
	snakeRule  = pattern.Of(`^(?:local)?(?:rule|checkpoint) (\w+):$`)
	snakeJobID = pattern.Of(`^Job (\d+): (.*)$`)
	snakeKey   = pattern.Of(`^    (\w+): (.*)$`)
	snakeEnd   = pattern.Of(`^(Job stats|Job counts|Reasons|This was a dry-run|Building DAG of jobs)\b`)
	snakeTemp  = pattern.Of(`^Would remove temporary output (.*)$`)
)

// readDAG reads the graph in DOT, and returns the text with empty lines in its place.
func (r *snakeReader) readDAG(lines []string) []string {
	start := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "digraph ") })
	if start < 0 {
		return lines
	}
	end := start
	for end < len(lines) && strings.TrimSpace(lines[end]) != "}" {
		end++
	}
	if end == len(lines) {
		fail(start+1, "the graph of jobs has no end")
	}
	inner := newBuilder(Options{})
	readDot(inner, []byte(strings.Repeat("\n", start)+strings.Join(lines[start:end+1], "\n")))
	d := drawn(inner)
	r.dag = &d
	for i, n := range inner.wf.Nodes {
		j := &snakeJob{id: n.ID, line: max(1, inner.lines[i]), inDAG: true}
		for k, line := range strings.Split(n.Command, "\n") {
			if k == 0 {
				j.rule = strings.TrimSpace(line)
			} else if _, value, ok := strings.Cut(line, ": "); ok {
				j.wildcards = append(j.wildcards, value)
			}
		}
		r.add(j)
	}
	rest := slices.Clone(lines)
	for i := start; i <= end; i++ {
		rest[i] = ""
	}
	return rest
}

func (r *snakeReader) add(j *snakeJob) {
	r.jobs[j.id] = j
	r.ids = append(r.ids, j.id)
}

// readDryRun reads the blocks of a dry run, each of which begins with a date.
func (r *snakeReader) readDryRun(lines []string) {
	for i := 0; i < len(lines); i++ {
		if !snakeDated.Get().MatchString(lines[i]) || i+1 >= len(lines) {
			continue
		}
		end := i + 1
		for end < len(lines) && !snakeDated.Get().MatchString(lines[end]) && !snakeEnd.Get().MatchString(lines[end]) {
			end++
		}
		r.block(lines[i+1:end], i+2)
		i = end - 1
	}
}

// block reads one job: its rule or message, what is known of it, an empty line, and its command.
func (r *snakeReader) block(lines []string, line int) {
	named := snakeJobID.Get().FindStringSubmatch(lines[0]) // a job with a message has no details
	j := &snakeJob{line: line, attrs: map[string]string{}, inRun: true, message: named != nil}
	if m := snakeRule.Get().FindStringSubmatch(lines[0]); m != nil {
		j.rule = m[1]
	} else if named != nil {
		j.id = named[1]
	} else {
		return
	}
	at := 1
	for at < len(lines) && strings.TrimSpace(lines[at]) != "" {
		if m := snakeKey.Get().FindStringSubmatch(lines[at]); m != nil {
			r.detail(j, m[1], m[2])
		}
		at++
	}
	var body []string
	for _, text := range lines[min(at, len(lines)):] {
		if m := snakeTemp.Get().FindStringSubmatch(text); m != nil {
			r.temp = append(r.temp, m[1])
			continue
		}
		body = append(body, text)
	}
	j.command = strings.TrimPrefix(dedent(body), "Shell command: ")
	if j.id == "" {
		fail(line, "the job of rule %s has no jobid", j.rule)
	}
	r.combine(j)
}

// detail reads what the dry run says about a job.
func (r *snakeReader) detail(j *snakeJob, key, value string) {
	switch key {
	case "jobid":
		j.id = value
	case "input":
		j.inputs = strings.Split(value, ", ")
	case "output":
		j.outputs = strings.Split(value, ", ")
	case "threads":
		j.attrs["cpus"] = value
	case "wildcards":
		for pair := range strings.SplitSeq(value, ", ") {
			if _, text, ok := strings.Cut(pair, "="); ok {
				j.wildcards = append(j.wildcards, text)
			}
		}
	case "resources":
		for pair := range strings.SplitSeq(value, ", ") {
			r.resource(j, pair)
		}
	}
}

// resource reads NAME=VALUE.
func (r *snakeReader) resource(j *snakeJob, pair string) {
	name, value, _ := strings.Cut(pair, "=")
	number, err := strconv.Atoi(value)
	switch {
	case hasWord("tmpdir mem_mib disk_mib", name), value == "<TBD>": // set by snakemake itself
	case name == "mem_mb" && err == nil && number > 0:
		j.attrs["mem"] = value + "M"
	case name == "runtime" && err == nil && number > 0:
		j.attrs["time"] = value + "m"
	default:
		r.lost[name] = true
	}
}

// combine joins a job of the dry run with its node in the graph.
func (r *snakeReader) combine(j *snakeJob) {
	known := r.jobs[j.id]
	switch {
	case known == nil:
		r.add(j)
		return
	case known.inRun: // the dry run was given twice
		return
	case j.rule != "" && j.rule != known.rule:
		panic(&Error{Line: j.line, Msg: fmt.Sprintf("job %s is of rule %s here and of rule %s in the graph", j.id, j.rule, known.rule),
			Fix: "print both at the same time: (snakemake --dag; snakemake -n -p) | wf new FILE --from snakemake -"})
	}
	j.rule, j.inDAG = known.rule, true
	if len(j.wildcards) == 0 {
		j.wildcards = known.wildcards
	}
	*known = *j
}

// dedent removes the common indent of lines, and empty lines around them.
func dedent(lines []string) string {
	indent := -1
	for _, line := range lines {
		if text := strings.TrimLeft(line, " \t"); text != "" && (indent < 0 || len(line)-len(text) < indent) {
			indent = len(line) - len(text)
		}
	}
	var out []string
	for _, line := range lines {
		out = append(out, strings.TrimRight(line[min(max(indent, 0), len(line)):], " \t"))
	}
	return strings.Trim(strings.Join(out, "\n"), "\n")
}

// before returns the jobs that a job waits for: those of the graph, or those that make its inputs.
func (r *snakeReader) before(j *snakeJob, makers map[string]string, keep func(string) bool) (ids []string) {
	if r.dag != nil && j.inDAG {
		return r.dag.kept(j.id, keep)
	}
	for _, file := range j.inputs {
		if maker := makers[file]; maker != "" && maker != j.id && keep(maker) && !slices.Contains(ids, maker) {
			ids = append(ids, maker)
		}
	}
	return ids
}

// build makes nodes and edges of the jobs.
func (r *snakeReader) build() {
	dryRun := slices.ContainsFunc(r.ids, func(id string) bool { return r.jobs[id].inRun })
	makers, waited := map[string]string{}, map[string]bool{}
	for _, id := range r.ids {
		for _, file := range r.jobs[id].outputs {
			makers[file] = id
		}
	}
	for _, id := range r.ids {
		for _, before := range r.before(r.jobs[id], makers, func(string) bool { return true }) {
			waited[before] = true
		}
	}
	var done []string
	r.inheritWildcards(makers)
	names, taken := map[string]string{}, map[string]bool{}
	var bare []*snakeJob
	for _, id := range r.ids {
		j := r.jobs[id]
		if dryRun && !j.inRun {
			done = append(done, j.rule)
			continue
		}
		if dryRun && j.command == "" && len(j.outputs) == 0 && !waited[id] && !j.message {
			continue // it only asks for files, like rule all
		}
		names[id] = r.node(j, taken)
		if j.command == "" {
			bare = append(bare, j)
		}
	}
	if len(names) == 0 {
		fail(1, "no job is left to execute: snakemake --forceall -n -p shows all of them")
	}
	for _, id := range r.ids {
		if names[id] == "" {
			continue
		}
		for _, before := range r.before(r.jobs[id], makers, func(other string) bool { return names[other] != "" }) {
			r.b.edge(names[before], names[id], link{}, r.jobs[id].line)
		}
	}
	r.b.attr("shell", "bash-strict") // as snakemake runs them
	r.notes(dryRun, done, bare, names)
}

// inheritWildcards gives a job without wildcards those of the only job that it waits for, if its rule has several jobs:
// the graph shows wildcards only where they appear first.
func (r *snakeReader) inheritWildcards(makers map[string]string) {
	count := map[string]int{}
	for _, id := range r.ids {
		count[r.jobs[id].rule]++
	}
	visiting := map[string]bool{}
	var wildcards func(id string) []string
	wildcards = func(id string) []string {
		j := r.jobs[id]
		if len(j.wildcards) > 0 || count[j.rule] < 2 || visiting[id] {
			return j.wildcards
		}
		visiting[id] = true
		if before := r.before(j, makers, func(string) bool { return true }); len(before) == 1 {
			j.wildcards = wildcards(before[0])
		}
		return j.wildcards
	}
	for _, id := range r.ids {
		wildcards(id)
	}
}

// node makes the node of a job and returns its id.
func (r *snakeReader) node(j *snakeJob, taken map[string]bool) string {
	base := strings.Join(append([]string{cmp.Or(j.rule, "job_"+j.id)}, j.wildcards...), "-")
	base = strings.NewReplacer(",", "_", " ", "_", ":", "_").Replace(base)
	name := base
	for i := 2; taken[name]; i++ {
		name = fmt.Sprintf("%s-%d", base, i)
	}
	taken[name] = true
	n := r.b.node(name, j.line)
	if j.command != "" {
		setCommand(n, j.command)
	}
	for key, value := range j.attrs {
		setAttr(n, key, value)
	}
	return name
}

// notes lists what the workflow does not express.
func (r *snakeReader) notes(dryRun bool, done []string, bare []*snakeJob, names map[string]string) {
	switch {
	case !dryRun && r.b.opt.Command == "":
		r.b.note("the graph contains no commands: (snakemake --dag; snakemake -n -p) | wf new FILE --from snakemake - reads both")
	case len(bare) > 0 && r.b.opt.Command == "":
		var list []string
		for _, j := range bare {
			list = append(list, fmt.Sprintf("%s (line %d)", names[j.id], j.line))
		}
		r.b.note("jobs without a shell command, since their rules have run, script, notebook or wrapper: %s. Give each the command snakemake --cores 1 --allowed-rules RULE -- FILE",
			listed(list))
	}
	if slices.ContainsFunc(r.ids, func(id string) bool { return r.jobs[id].message }) {
		r.b.note("messages of rules are left out, and threads and resources of these rules, because the dry run does not show them: set cpus and mem on their nodes")
	}
	if r.dag == nil {
		for _, id := range r.ids {
			if j := r.jobs[id]; len(j.inputs)+len(j.outputs) == 0 {
				r.b.note("line %d: the files of %s are not shown, so its edges are missing: add the graph of snakemake --dag", j.line, names[id])
			}
		}
	}
	if len(done) > 0 {
		r.b.note("jobs that are done already are left out: %s. To get them, too: snakemake --forceall -n -p", listed(distinct(done)))
	}
	if len(r.temp) > 0 {
		r.b.note("temporary files stay: %s. To delete them, add a node with rm", listed(distinct(r.temp)))
	}
	if len(r.lost) > 0 {
		r.b.note("resources without a meaning in wf are left out: %s. For a limit of them use the attribute pool", listed(slices.Sorted(maps.Keys(r.lost))))
	}
}
