package wf_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// maxArchitectureWords keeps the map short enough to be read in one sitting.
const maxArchitectureWords = 1500

// documents returns the Markdown files of the repository.
func documents(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md").Output()
	if err != nil {
		t.Skip("not a checkout: ", err)
	}
	return strings.Fields(string(out))
}

func TestArchitectureIsShort(t *testing.T) {
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	if words := len(strings.Fields(string(text))); words > maxArchitectureWords {
		t.Errorf("ARCHITECTURE.md has %d words, more than %d", words, maxArchitectureWords)
	}
}

// TestDecisionsAreListed: every decision is in the index, once.
func TestDecisionsAreListed(t *testing.T) {
	dir := filepath.Join("docs", "decisions")
	index, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		name := filepath.Base(page)
		if n := strings.Count(string(index), "]("+name+")"); name != "README.md" && n != 1 {
			t.Errorf("%s is %d times in the index of decisions", name, n)
		}
	}
}

var (
	codeSpan  = regexp.MustCompile("`([^`]+)`")
	codeBlock = regexp.MustCompile("(?ms)^```.*?^```")
	linkInDoc = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading   = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

// TestLinks: links between documents lead to a file that exists, and to a heading in it.
func TestLinks(t *testing.T) {
	for _, doc := range documents(t) {
		text, err := os.ReadFile(doc)
		if os.IsNotExist(err) {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		for _, m := range linkInDoc.FindAllStringSubmatch(codeBlock.ReplaceAllString(string(text), ""), -1) {
			if !strings.Contains(m[1], "://") {
				checkLink(t, doc, m[1])
			}
		}
	}
}

func checkLink(t *testing.T, doc, link string) {
	path, anchor, _ := strings.Cut(link, "#")
	target := doc
	if path != "" {
		target = filepath.Join(filepath.Dir(doc), filepath.FromSlash(path))
	}
	if _, err := os.Stat(target); err != nil {
		t.Errorf("%s links to %s, which does not exist", doc, link)
		return
	}
	if anchor != "" && !anchors(t, target)[anchor] {
		t.Errorf("%s links to %s, which has no such heading", doc, link)
	}
}

// anchors returns the names by which the headings of a document can be linked to.
func anchors(t *testing.T, path string) map[string]bool {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(codeBlock.ReplaceAllString(string(text), ""), -1) {
		found[anchorOf(m[1])] = true
	}
	return found
}

// anchorOf makes the anchor of a heading: lower case, blanks are hyphens, punctuation is left out.
func anchorOf(heading string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(heading) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		}
	}
	return b.String()
}

// TestSecurityNamesTests: docs/security.md names the tests that hold its measures, and they exist.
func TestSecurityNamesTests(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, p := range packages(t) {
		for _, file := range append(p.TestGoFiles, p.XTestGoFiles...) {
			source, err := os.ReadFile(filepath.Join(p.Dir, file))
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range testFunction.FindAllStringSubmatch(string(source), -1) {
				all[m[1]] = true
			}
		}
	}
	for _, m := range codeSpan.FindAllStringSubmatch(string(text), -1) {
		if (strings.HasPrefix(m[1], "Test") || strings.HasPrefix(m[1], "Fuzz")) && !strings.HasSuffix(m[1], "…") && !all[m[1]] {
			t.Errorf("docs/security.md names %s, which does not exist", m[1])
		}
	}
}

var testFunction = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
