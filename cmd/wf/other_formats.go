package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"wf/cmd/wf/convert"
	"wf/cmd/wf/exit"
	"wf/graph/pattern"
	"wf/tui/plain"
	"wf/tui/words"
)

// unusable is the message of the reader of workfiles about a file that is not GraphML.
const unusable = "the workfile cannot be used"

// explainFormat extends the error about a file that is not GraphML: it names the kind of file and the command that
// makes a workfile of it. It returns other errors unchanged.
func (e *env) explainFormat(f exit.Failure) exit.Failure {
	path := strings.TrimRight(strings.TrimRight(f.Where, "0123456789"), ":")
	if f.What != unusable || f.Fix != "" || path == "" {
		return f
	}
	head, err := headOf(path)
	if err != nil {
		return f
	}
	name := words.Quote(e.rel(path))
	kind := kindOf(filepath.Base(path), head)
	if kind.what == "" {
		return f
	}
	f.What = plain.Line(e.rel(path)) + " is not a workfile but " + kind.what
	f.Why = "a workfile is GraphML, an XML format"
	if f.Fix = strings.ReplaceAll(kind.fix, "FILE", name); kind.fix == noImport {
		f.Why += "; wf new imports " + strings.Join(convert.Formats(), ", ") + " and lists of commands"
		f.Fix = "wf help new"
	}
	return f
}

// headOf returns the beginning of a regular file.
func headOf(path string) ([]byte, error) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file") // reading a pipe could block
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, 4096))
}

// A otherFormat is a kind of file other than workfiles, and the command that makes a workfile of it.
type otherFormat struct{ what, fix string }

var (
	dotHead     = pattern.Of(`^(//[^\n]*\n|/\*(?s:.*?)\*/|\s)*(strict\s+)?(di)?graph\b[^{;\n]*\{`)
	mermaidHead = pattern.Of(`^(---(?s:.*?)\n---\n)?(%%[^\n]*\n|\s)*(graph|flowchart)\s+(TB|TD|BT|RL|LR)\b`)
	daguSteps   = pattern.Of(`(?m)^steps:`)
	textNodes   = pattern.Of(`(?m)^nodes:`)
)

// noImport is the fix for files that wf new cannot read.
const noImport = ""

// kindOf returns the kind of a file by its name or else by its content. The kind is empty if the file may be meant as
// a workfile.
func kindOf(name string, head []byte) otherFormat {
	text := bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
	if bytes.HasPrefix(text, []byte("<")) || bytes.HasPrefix(head, []byte("\x1f\x8b")) {
		return otherFormat{} // XML, or compressed: the error says what is wrong
	}
	if k, known := kindByName[strings.ToLower(name)]; known {
		return k
	}
	ext := strings.ToLower(filepath.Ext(name))
	if k, known := kindByName["*"+ext]; known && ext != "" {
		return k
	}
	switch {
	case len(text) == 0:
		return otherFormat{"an empty file", "rm FILE && wf new FILE"}
	case bytes.IndexByte(head, 0) >= 0 || !utf8.Valid(head[:validEnd(head)]):
		return otherFormat{"binary data", "wf help workfiles says what a workfile is"}
	case bytes.HasPrefix(text, []byte("#!")):
		return kindByName["*.sh"]
	case dotHead.Get().Match(text):
		return kindByName["*.dot"]
	case mermaidHead.Get().Match(text):
		return kindByName["*.mmd"]
	case ext == ".yaml" || ext == ".yml":
		if daguSteps.Get().Match(text) {
			return otherFormat{"a workflow in YAML", "wf new Workfile --from dagu FILE"}
		}
		if textNodes.Get().Match(text) {
			return otherFormat{textKind, "wf new Workfile --from yaml FILE"}
		}
		return otherFormat{"YAML", noImport}
	case text[0] == '{' || text[0] == '[':
		if bytes.Contains(text, []byte(`"workflow"`)) {
			return otherFormat{"JSON", "wf new Workfile --from wfcommons FILE, if it is an instance of WfCommons"}
		}
		return otherFormat{"JSON", noImport}
	}
	return otherFormat{"plain text", "if it has one command per line: wf new Workfile --from-lines FILE"}
}

// validEnd returns the length of head without an incomplete character at its end.
func validEnd(head []byte) int {
	for n := 0; n < utf8.UTFMax && n < len(head); n++ {
		if end := len(head) - n; utf8.Valid(head[:end]) {
			return end
		}
	}
	return len(head)
}

var (
	makefile  = otherFormat{"a makefile", "wf new Workfile --from make FILE"}
	snakefile = otherFormat{"a Snakefile", noImport}
)

// kindByName maps file names in lower case, or * and an extension, to kinds.
var kindByName = map[string]otherFormat{
	"makefile": makefile, "gnumakefile": makefile, "*.mk": makefile,
	"snakefile": snakefile, "*.smk": snakefile,
	"*.dot": {"a graph of Graphviz", "wf new Workfile --from dot FILE"},
	"*.gv":  {"a graph of Graphviz", "wf new Workfile --from dot FILE"},
	"*.mmd": {"a diagram of Mermaid", "wf new Workfile --from mermaid FILE"}, "*.mermaid": {"a diagram of Mermaid", "wf new Workfile --from mermaid FILE"},
	"*.sh": {"a script", "wf new Workfile --from-lines FILE"}, "*.bash": {"a script", "wf new Workfile --from-lines FILE"},
	"*.nf": {"a workflow of Nextflow", noImport}, "*.cwl": {"a workflow in CWL", noImport}, "*.wdl": {"a workflow in WDL", noImport},
	"*.py": {"a Python program", noImport}, "*.r": {"an R program", noImport},
}

// isURL says whether a name is a URL.
func isURL(name string) bool {
	scheme, rest, found := strings.Cut(name, "://")
	return found && rest != "" && scheme != "" && strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-") == ""
}

// textKind is the kind of file that wf text prints.
const textKind = "the text of a workflow"
