package daemon

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"wf/api"
)

// TestAPIPageIsComplete compares docs/api.md with the tables of routes and of errors.
func TestAPIPageIsComplete(t *testing.T) {
	data, err := os.ReadFile("../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	var want, got []string
	for _, r := range (&daemon{}).table() {
		want = append(want, r.Method+" "+strings.NewReplacer("{id}", "ID", "{run}", "RUN").Replace(r.Path))
	}
	for _, row := range regexp.MustCompile("(?m)^\\| `((?:GET|POST|DELETE) [^`]*)` \\|[^|]*\\| [^|]+ \\|$").FindAllStringSubmatch(page, -1) {
		got = append(got, row[1])
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		t.Errorf("the page has\n%s\nthe daemon serves\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for code, status := range api.Codes() {
		row := regexp.MustCompile(fmt.Sprintf("(?m)^\\|[^|]*`%s`[^|]*\\| %d \\|", code, status))
		if !row.MatchString(page) {
			t.Errorf("the page does not say that %q has status %d", code, status)
		}
	}
	for _, header := range regexp.MustCompile("`(Wf-[A-Za-z]+)`").FindAllStringSubmatch(page, -1) {
		if !slices.Contains([]string{"Wf-Client", "Wf-User", "Wf-Version", "Wf-Request", "Wf-Again", "Wf-Waits", "Wf-Origin"}, header[1]) {
			t.Errorf("the daemon has no header %s", header[1])
		}
	}
}
