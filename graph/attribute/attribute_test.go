package attribute

import (
	"slices"
	"strings"
	"testing"
)

// TestTable checks that rows are complete, and that a name has one row for each element.
func TestTable(t *testing.T) {
	for a := range All() {
		if a.Name == "" || a.On == 0 || a.Meaning == "" {
			t.Errorf("%+v: a row needs a name, an element and a meaning", *a)
		}
		if a.Name != strings.ToLower(a.Name) || strings.ContainsAny(a.Name, " -.") {
			t.Errorf("%s: names are lower case, with _ between words", a.Name)
		}
		if len(a.Meaning) > 120 || strings.ContainsAny(a.Meaning, "\n\t") {
			t.Errorf("%s: its meaning does not fit a line: %q", a.Name, a.Meaning)
		}
		if (a.Kind == Word) != (len(a.Words) > 0) && a.Kind != Other && a.Kind != Truth {
			t.Errorf("%s: is of kind %d with the words %q", a.Name, a.Kind, a.Words)
		}
		for b := range All() {
			if a != b && a.Name == b.Name && a.On&b.On != 0 {
				t.Errorf("%s: two rows for %s", a.Name, a.On&b.On)
			}
			if a.Name == b.Name && a.Role != b.Role {
				t.Errorf("%s: one name with two roles", a.Name)
			}
			if slices.Contains(b.Mistaken, a.Name) {
				t.Errorf("%s: is an attribute, and not a mistake for %s", a.Name, b.Name)
			}
		}
	}
}

// TestShown checks that every settable attribute appears in exactly one part of the documentation.
func TestShown(t *testing.T) {
	parts := []Element{Node, Command | SubFlow, Command, SubFlow, Edge, Graph, Command | Graph, Node | Graph}
	for a := range All() {
		if a.Settable() && !slices.Contains(parts, a.On) {
			t.Errorf("%s means something on %08b, which is no part of wf help attributes", a.Name, a.On)
		}
	}
}

// TestJudge checks which names are reported, as a misspelling (?) and as severe (!).
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		on   Element
		name string
		want string // "": nothing is wrong
	}{
		{Command, "retries", ""}, {SubFlow, "retries", ""}, {Edge, "when", ""}, {Graph, "params", ""},
		{Edge, "status", ""}, {Command, "status", ""}, {Graph, "status", ""},

		{Command, "retires", "retries?!"}, {Command, "retrys", "retries?!"}, {Command, "retry", "retries?!"},
		{Command, "Retries", "retries?!"}, {Command, "retryDelay", "retry_delay?!"}, {Command, "retry-delay", "retry_delay?!"},
		{Command, "approval", "approve?!"}, {Command, "Join", "join?!"}, {Command, "time_out", "timeout?!"},
		{Edge, "When", "when?!"}, {Edge, "wehn", "when?!"}, {Edge, "whne", "when?!"}, {Edge, "edgeType", "edge_type?!"},
		{SubFlow, "for_each", "foreach?!"}, {SubFlow, "foreech", "foreach?!"}, {SubFlow, "Times", "times?!"},
		{Graph, "Wrapper", "wrapper?!"}, {Graph, "maxActivations", "max_activations?!"}, {Graph, "onbusy", "on_busy?!"},
		{Command, "Env", "env?"}, {Graph, "Jobs", "jobs?"},

		{Edge, "retries", "retries!"}, {Command, "when", "when!"}, {Graph, "timeout", "timeout!"}, {Group, "approve", "approve!"},
		{Command, "foreach", "foreach!"}, {Edge, "wrapper", "wrapper!"}, {Edge, "env", "env"}, {Command, "wrapper", ""}, {Group, "shell", ""}, {Graph, "env", ""},
		{Command, "env-file", "env_file?!"}, {Command, "workdir", "cwd?!"},
		{Edge, "Retries", "retries?!"}, {Command, "When", "when?!"},

		// Attributes of other programs and users.
		{Command, "cpus", ""}, {Command, "conda", ""}, {Command, "runtime", ""}, {Command, "weight", ""}, {Edge, "weight", ""},
		{Command, "Label", ""}, {Group, "label", ""}, {Edge, "label", ""}, {Command, "Name", ""}, {Graph, "name", ""}, {Edge, "name", ""},
		{Command, "time", ""}, {Command, "Time", ""}, {Edge, "time", ""}, {Command, "description", ""}, {Command, "url", ""},
		{Command, "color", ""}, {Command, "type", ""}, {Edge, "type", ""}, {Edge, "directed", ""}, {Command, "degree", ""},
		{Command, "shared name", ""}, {Command, "selected", ""}, {Command, "SUID", ""}, {Command, "EdgeLabel", ""},
		{Command, "size", ""}, {Command, "width", ""}, {Command, "height", ""}, {Command, "shape", ""}, {Command, "memory", ""},
		{Command, "start", ""}, {Command, "end", ""}, {Command, "duration", ""}, {Command, "version", ""}, {Command, "", ""},
		{Command, "stage", ""}, {Command, "state", ""}, {Command, "step", ""}, {Command, "tags", ""}, {Command, "title", ""},
		{Command, "error", ""}, {Command, "image", ""}, {Command, "queue", ""}, {Command, "priority", ""}, {Command, "units", ""},
	} {
		got := ""
		if f := Judge(c.on, c.name); f != nil {
			got = f.Means.Name
			if f.Misspelt {
				got += "?"
			}
			if f.Severe() {
				got += "!"
			}
		}
		if got != c.want {
			t.Errorf("%q on %s: got %q, want %q", c.name, c.on, got, c.want)
		}
	}
}

// TestOtherWords checks that every word of the list would otherwise be reported.
func TestOtherWords(t *testing.T) {
	for word := range otherWords {
		if meant(Node|Edge|Graph, word) == nil {
			t.Errorf("%s is not similar to an attribute: remove it from the list", word)
		}
	}
}

func TestFind(t *testing.T) {
	if a := Find(Edge, "status"); a == nil || !slices.Contains(a.Words, "to_run") {
		t.Errorf("the status of an edge is %+v", a)
	}
	if a := Find(Node, "status"); a == nil || !slices.Contains(a.Words, "ran") {
		t.Errorf("the status of a node is %+v", a)
	}
	if a := Find(Graph, "status"); a != nil {
		t.Errorf("the graph has a status: %+v", a)
	}
}
