package convert

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"wf/graph/pattern"
)

// MakeAnswers is what GNU make says about a makefile, and the makefiles themselves.
type MakeAnswers struct {
	Program string            // how make is called, such as gmake
	DryRun  []byte            // standard output of make -n -B --trace -p for the goals
	Exports map[string]string // what the makefile adds to the environment of its recipes
	Removed []string          // names of variables that it does not pass on to its recipes
	Goals   []string          // the targets that were asked for; none means the default goal
	Sources map[string][]byte // makefiles, by the names that make uses
	Name    string            // of the makefile in messages
	Shell   string            // the program that stood in for the shell of recipes; "" for none
	// Environment returns the value of a variable in the environment of make.
	Environment func(name string) (string, bool)
	// Again returns DryRun with further variables in the environment of make. If it is nil, there are no parameters.
	Again func(variables []string) ([]byte, error)
}

// MakeOptions are the options of Make.
type MakeOptions struct {
	Command string // see Options
	Flat    bool   // every target stays a node of its own
}

// Make makes a workflow from the answers of GNU make: what make would execute becomes nodes, with edges for the
// prerequisites.
func Make(a MakeAnswers, o MakeOptions) (*Workflow, error) {
	b := newBuilder(Options{Command: o.Command})
	err := catch(func() {
		checkText(a.DryRun, `let the shell make the bytes: "$(printf '\377')"`)
		r := &makeReader{b: b, a: a, opt: o}
		r.read()
		b.finish()
	})
	if err != nil {
		return nil, err
	}
	return b.wf, nil
}

// A makeReader turns the answers of make into nodes.
type makeReader struct {
	b   *builder
	a   MakeAnswers
	opt MakeOptions
	db  *makeDatabase

	jobs  []*makeJob
	nodes []*makeNode
	made  map[string]*makeNode // the last node that makes a target
	shell makeShell
}

// A makeNode is a job that becomes a node.
type makeNode struct {
	id      string
	job     *makeJob // nil of a target without a recipe that many targets wait for
	command string
	filled  string      // the command with variables for parameters; "" before they are looked for
	after   []*makeNode // without repetitions
	class   *makeClass  // the nodes of which it becomes an instance; nil if it stays a node
	item    string      // of this instance
}

// at returns where the recipe of a node is, for messages.
func (r *makeReader) at(j *makeJob) string {
	if j.file == "" {
		return "a built-in rule"
	}
	return fmt.Sprintf("%s:%d", r.a.sourceName(j.file), j.line)
}

// sourceName returns the name of a makefile in messages. Make itself names the copy that it makes of standard input.
func (a *MakeAnswers) sourceName(file string) string {
	if _, known := a.Sources[file]; !known && a.Name == "standard input" {
		return a.Name
	}
	return file
}

func (r *makeReader) read() {
	dryRun := string(r.a.DryRun)
	trace, database := splitMake(dryRun)
	r.db = readMakeDatabase(database)
	r.shell = r.readShell()
	r.jobs = readMakeTrace(r.plainShell(trace), r.db)
	deleted := withoutDeletions(r.jobs, r.db)
	talking := withoutInfo(r.jobs, r.db)
	r.makeNodes()
	r.joinNodes()
	included := r.dropIncluded()
	r.parameters()
	r.bundles()
	r.emit()
	r.noteRecipes(deleted, talking)
	if len(included) > 0 {
		r.b.note("files that the makefile includes are not there, and make has not made them: %s. If they say more than which headers a file needs, make them with make FILE, and import again", listed(included))
	}
	r.noteUnused()
}

// splitMake separates what make would execute from its database.
func splitMake(output string) (trace, database string) {
	if at := strings.LastIndex("\n"+output, "\n# Make data base, printed on "); at >= 0 {
		trace, database = output[:at], output[at:]
	} else {
		trace = output
	}
	if at := strings.LastIndex("\n"+trace, "\n# GNU Make "); at >= 0 {
		trace = trace[:at]
	}
	return trace, database
}

// plainShell puts the shell of the makefile where make printed the program that stood in for it.
func (r *makeReader) plainShell(text string) string {
	if r.a.Shell == "" {
		return text
	}
	return strings.ReplaceAll(text, r.a.Shell, r.shell.program)
}

// makeNodes makes a node of each job that executes something.
func (r *makeReader) makeNodes() {
	r.made = map[string]*makeNode{}
	taken := map[string]bool{}
	for _, j := range r.jobs {
		command := r.command(j)
		if command == "" {
			continue
		}
		n := &makeNode{id: j.target, job: j, command: command}
		for i := 2; taken[n.id]; i++ {
			n.id = fmt.Sprintf("%s-%d", j.target, i)
		}
		taken[n.id] = true
		if before := r.made[j.target]; before != nil {
			n.after = append(n.after, before) // rules with double colons run in order
		}
		r.nodes = append(r.nodes, n)
		r.made[j.target] = n
		if rule := r.db.rule(j); rule != nil {
			for _, other := range rule.also {
				if r.made[other] == nil {
					r.made[other] = n
				}
			}
		}
	}
}

// joinNodes finds what each node waits for.
func (r *makeReader) joinNodes() {
	f := makeEnds{r: r, known: map[string][]*makeNode{}, open: map[string]bool{}}
	f.countUsers()
	for _, n := range r.nodes {
		rule := r.db.rule(n.job)
		if rule == nil {
			continue
		}
		for _, need := range rule.needs {
			for _, before := range f.of(need, 0) {
				if before != n && !slices.Contains(n.after, before) {
					n.after = append(n.after, before)
				}
			}
		}
	}
	r.nodes = append(r.nodes, f.barriers...)
}

// dropIncluded removes the nodes that the goals do not need: make would make files that the makefile includes. It returns
// those that are not there.
func (r *makeReader) dropIncluded() (missing []string) {
	goals := r.a.Goals
	if len(goals) == 0 {
		goals = strings.Fields(r.db.vars[".DEFAULT_GOAL"].value)
	}
	f := makeEnds{r: r, known: map[string][]*makeNode{}, open: map[string]bool{}}
	var todo []*makeNode
	for _, goal := range goals {
		todo = append(todo, f.of(goal, 0)...)
	}
	needed := map[*makeNode]bool{}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !needed[n] {
			needed[n] = true
			todo = append(todo, n.after...)
		}
	}
	r.nodes = slices.DeleteFunc(r.nodes, func(n *makeNode) bool {
		if _, read := r.a.Sources[n.id]; !needed[n] && !read && n.job != nil {
			missing = append(missing, n.id)
		}
		return !needed[n]
	})
	if len(r.nodes) == 0 {
		fail(0, "no target that was asked for has a recipe, so there is nothing to execute")
	}
	return missing
}

// makeEnds finds the nodes behind prerequisites: the node of a target, or those of its prerequisites if nothing is
// executed for it.
type makeEnds struct {
	r        *makeReader
	known    map[string][]*makeNode
	open     map[string]bool
	users    map[string]int // how many nodes need a target directly
	barriers []*makeNode
}

func (f *makeEnds) countUsers() {
	f.users = map[string]int{}
	for _, n := range f.r.nodes {
		if rule := f.r.db.rule(n.job); rule != nil {
			for _, need := range rule.needs {
				f.users[need]++
			}
		}
	}
}

func (f *makeEnds) of(target string, depth int) []*makeNode {
	if n := f.r.made[target]; n != nil {
		return []*makeNode{n}
	}
	if nodes, known := f.known[target]; known || f.open[target] || depth > maxMakeDepth {
		return nodes
	}
	f.open[target] = true
	var nodes []*makeNode
	seen := map[*makeNode]bool{}
	for _, rule := range f.r.db.targets[target] {
		for _, need := range rule.needs {
			for _, n := range f.of(need, depth+1) {
				if !seen[n] {
					seen[n] = true
					nodes = append(nodes, n)
				}
			}
		}
	}
	if few := 3; len(nodes) > few && f.users[target] > few { // a node in between saves edges
		n := &makeNode{id: target, command: ":", after: nodes}
		f.r.made[target] = n
		f.barriers = append(f.barriers, n)
		nodes = []*makeNode{n}
	}
	delete(f.open, target)
	f.known[target] = nodes
	return nodes
}

// maxMakeDepth limits how many targets without a recipe need one another in a row.
const maxMakeDepth = 10_000

// emit adds nodes and edges to the workflow. Instances are added once, in their containers.
func (r *makeReader) emit() {
	if env := r.environment(); env != "" {
		r.b.attr("env", env)
	}
	for _, n := range r.nodes {
		if b := n.bundle(); b == nil {
			node := r.b.node(n.id, r.line(n.job))
			setCommand(node, n.command)
		} else if !b.emitted {
			b.emitted = true
			r.emitBundle(b)
		}
	}
	for _, n := range r.nodes {
		for _, before := range n.after {
			from, to := before.id, n.id
			if b := before.bundle(); b != nil {
				from = b.id
			}
			if b := n.bundle(); b != nil {
				to = b.id
			}
			if from != to {
				r.b.edge(from, to, link{}, r.line(n.job))
			}
		}
	}
	r.shellAttrs()
	if _, serial := r.db.special(".NOTPARALLEL"); serial {
		r.b.attr("jobs", "1")
	}
}

// line returns the line of a job if it is in the makefile itself, otherwise 0.
func (r *makeReader) line(j *makeJob) int {
	if j == nil || r.a.sourceName(j.file) != r.a.Name {
		return 0
	}
	return j.line
}

// environment returns the attribute env of the graph: what the makefile exports.
func (r *makeReader) environment() string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(r.a.Exports)) {
		value := r.a.Exports[name]
		if strings.ContainsAny(value, "\n\r") || strings.Contains(value, "${{") || strings.TrimSpace(value) != value {
			r.b.note("the variable %s, which the makefile exports, is left out, because the attribute env cannot contain its value: set it in the commands that need it", name)
			continue
		}
		lines = append(lines, name+"="+value)
	}
	if len(r.a.Removed) > 0 {
		slices.Sort(r.a.Removed)
		r.b.note("the makefile removes variables from the environment, and the commands get them: %s. To remove them: unset NAME in a command", listed(r.a.Removed))
	}
	return strings.Join(lines, "\n")
}

// listed joins names for display, at most ten.
func listed(names []string) string {
	const most = 10
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// runsMake matches commands that run make themselves.
var runsMake = pattern.Of(`(^|[\s;&|(])g?make($|[\s;&|)])`)

// noteRecipes adds notes about parts of recipes that a workfile does not express.
func (r *makeReader) noteRecipes(deleted []string, talking []*makeJob) {
	var calls []string
	for _, j := range r.jobs {
		if slices.ContainsFunc(j.output, runsMake.Get().MatchString) && !slices.Contains(calls, r.at(j)) {
			calls = append(calls, r.at(j))
		}
	}
	if len(calls) > 0 {
		r.b.note("%s: commands that run make stay commands, so their targets are no nodes; to import another makefile: wf new FILE --from make FOLDER/Makefile", listed(calls))
	}
	r.noteTargetVariables()
	r.noteFixedOutputs()
	var texts []string
	for _, j := range talking {
		if !slices.Contains(texts, r.at(j)) {
			texts = append(texts, r.at(j))
		}
	}
	if len(texts) > 0 {
		r.b.note("%s: the texts of $(info) are left out: write echo", listed(texts))
	}
	if len(deleted) > 0 {
		r.b.note("make would delete intermediate files at the end, which is left out: %s. To delete them, add a node with rm", listed(deleted))
	}
	if _, on := r.db.special(".DELETE_ON_ERROR"); on {
		r.b.note(".DELETE_ON_ERROR is left out: the file of a failed command stays. To delete it, write COMMAND || { rm -f FILE; exit 1; }")
	}
}

// makeForTarget matches definitions of variables for one target that commands get in other ways than by their text.
var makeForTarget = pattern.Of(`(?m)^([^\s#:=][^:=\n]*):[ \t]*(?:private[ \t]+|override[ \t]+)*(?:export[ \t]+(\w+)|(SHELL|\.SHELLFLAGS))[ \t]*[:+?]*=`)

// noteTargetVariables adds notes about variables that the makefile exports for some targets only, and about shells of
// targets.
func (r *makeReader) noteTargetVariables() {
	for _, file := range slices.Sorted(maps.Keys(r.a.Sources)) {
		text := string(r.a.Sources[file])
		for _, m := range makeForTarget.Get().FindAllStringSubmatchIndex(text, -1) {
			name, where := "SHELL", fmt.Sprintf("%s:%d", r.a.sourceName(file), 1+strings.Count(text[:m[0]], "\n"))
			if m[4] >= 0 {
				name = text[m[4]:m[5]]
			}
			r.b.note("%s: %s for %s only is left out: set it in the command of the node (or in its attribute env)", where, name, clip(strings.TrimSpace(text[m[2]:m[3]])))
		}
	}
}

// makeOutput matches what runs commands while make reads a makefile.
var makeOutput = pattern.Of(`\$[({]shell\s|(?m)^[ ]*[A-Za-z0-9_]+[ \t]*!=`)

// noteFixedOutputs adds a note about outputs of commands that became parts of the workflow.
func (r *makeReader) noteFixedOutputs() {
	var places []string
	for _, file := range slices.Sorted(maps.Keys(r.a.Sources)) {
		line := 0
		for text := range strings.Lines(string(r.a.Sources[file])) {
			if line++; makeOutput.Get().MatchString(text) && !strings.HasPrefix(text, "#") {
				places = append(places, fmt.Sprintf("%s:%d", r.a.sourceName(file), line))
			}
		}
	}
	if len(places) > 0 {
		r.b.note("%s: what commands print while make reads the makefile is fixed from now on; write $$(shell …) as $(…) into a command to ask again", listed(places))
	}
}

// noteUnused adds a note with the targets of the makefile that the goals do not need.
func (r *makeReader) noteUnused() {
	var left []string
	for name, rules := range r.db.targets {
		_, inMakefiles := r.a.Sources[rules[0].file]
		if rules[0].recipe != nil && inMakefiles && r.made[name] == nil && !slices.ContainsFunc(r.jobs, func(j *makeJob) bool { return j.target == name }) {
			left = append(left, name)
		}
	}
	slices.Sort(left)
	if len(left) > 0 {
		r.b.note("left out, since nothing that was asked for needs them: %s (--goal TARGET asks for more)", listed(left))
	}
}
