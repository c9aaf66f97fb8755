package main

import (
	"embed"
	"fmt"
	"strings"

	"wf/cmd/wf/settings"
	"wf/graph/attribute"
	"wf/tui"
)

// A topic is a page of help that does not belong to a command.
type topic struct {
	name, short string
	// generated, if not nil, returns the whole page, or what stands for %s in its text.
	generated func() string
}

// topics returns the pages in the order of the help.
func topics() []topic {
	return []topic{
		{"selectors", "How to name nodes", nil},
		{"states", "The states of nodes and their signs", nil},
		{"glossary", "The meaning of words", nil},
		{"workfiles", "What wf reads in a workfile", nil},
		{"control-flow", "Conditions, loops, approvals and parameters", nil},
		{"attributes", "All attributes of nodes, edges and the graph", listAttributes},
		{"up-to-date", "Run only what changed: inputs and outputs", nil},
		{"triggers", "What starts runs: times, files, requests, and ends of other runs", nil},
		{"webhooks", "Start runs from other programs, such as GitHub", nil},
		{"environments", "How commands are executed: shells, folders, containers, conda, pixi, nix", nil},
		{"profiles", "Parameters and attributes for a purpose", nil},
		{"executors", "Where commands run, and what they need there", listProfileKeys},
		{"batch-systems", "Grid Engine, PBS, LSF, HyperQueue and others as executors", listTemplateKeys},
		{"background", "Processes that commands leave behind", nil},
		{"exit-codes", "Exit statuses", nil},
		{"keys", "Keys of the terminal interface", tui.Keys},
		{"json", "Output for programs", nil},
		{"config", "Settings, their files and variables", listSettings},
		{"notify", "Who is told about runs, and how", listDestinationKeys},
		{"secrets", "Values that must not be shown", nil},
		{"hooks", "Commands before and after runs and nodes", nil},
		{"hosts", "Work on other machines", nil},
		{"environment", "Variables that wf reads and sets", nil},
		{"recipes", "What to type when", nil},
	}
}

//go:embed topics
var topicTexts embed.FS

// text returns the page.
func (t topic) text() string {
	data, err := topicTexts.ReadFile("topics/" + t.name + ".txt")
	text := strings.TrimRight(string(data), "\n")
	switch {
	case err != nil:
		return t.generated()
	case t.generated != nil:
		return strings.TrimRight(fmt.Sprintf(text, t.generated()), "\n")
	}
	return text
}

func topicNamed(name string) (topic, bool) {
	for _, t := range topics() {
		if t.name == name {
			return t, true
		}
	}
	return topic{}, false
}

// listSettings lists all settings, from their table.
func listSettings() string {
	var b strings.Builder
	for _, s := range settings.All() {
		fmt.Fprintf(&b, "%s\n      %s\n", strings.TrimRight(fmt.Sprintf("  %-16s %-18s %s", s.FileKey(), s.Variable(), s.Builtin), " "), s.Help)
		if len(s.Words) > 0 {
			fmt.Fprintf(&b, "      %s\n", strings.Join(s.Words, ", "))
		}
	}
	return b.String()
}

// listProfileKeys lists the keys of executors, from their table.
func listProfileKeys() string {
	var b strings.Builder
	for _, k := range settings.ProfileKeys() {
		fmt.Fprintf(&b, "  %-16s %-6s %s\n", k.Key, k.Builtin, k.Help)
	}
	return b.String()
}

// listDestinationKeys lists the keys of destinations, from their tables.
func listDestinationKeys() string {
	var b strings.Builder
	for _, table := range []struct {
		title string
		keys  []settings.DestinationKey
	}{{"  [mail]", settings.MailKeys()}, {"  [destination.NAME]", settings.NamedKeys()}} {
		fmt.Fprintln(&b, table.title)
		for _, k := range table.keys {
			fmt.Fprintf(&b, "    %-10s %s\n", k.Key, k.Help)
		}
	}
	return b.String()
}

// listTemplateKeys lists the keys of executors for the commands of batch systems, from their table.
func listTemplateKeys() string {
	var b strings.Builder
	for _, k := range settings.TemplateKeys() {
		fmt.Fprintf(&b, "  %-18s %s\n", k.Key, k.Help)
	}
	return b.String()
}

// listAttributes lists all attributes, from their table.
func listAttributes() string {
	var b strings.Builder
	for _, part := range []struct {
		on    attribute.Element
		title string
	}{
		{attribute.Node, "NODES"}, {attribute.Command | attribute.SubFlow, "COMMANDS AND CONTAINERS THAT REPEAT"},
		{attribute.Command, "COMMANDS"}, {attribute.Command | attribute.Graph, "COMMANDS, OR THE GRAPH FOR ALL OF THEM"}, {attribute.Node | attribute.Graph, "COMMANDS, OR A CONTAINER OR THE GRAPH FOR ALL COMMANDS IN IT"}, {attribute.SubFlow, "CONTAINERS"}, {attribute.Edge, "EDGES"}, {attribute.Graph, "THE GRAPH"},
	} {
		fmt.Fprintf(&b, "\n%s\n\n", part.title)
		for a := range attribute.On(part.on) {
			if a.Settable() && a.On == part.on {
				fmt.Fprintf(&b, "  %-16s %s\n", a.Name, a.Meaning)
			}
		}
	}
	b.WriteString("\nWHAT RUNS WRITE\n\n")
	for a := range attribute.All() {
		if !a.Settable() {
			fmt.Fprintf(&b, "  %-16s %s\n", a.Name, a.Meaning+" ("+a.On.String()+")")
		}
	}
	return b.String()
}
