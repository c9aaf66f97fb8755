package uptodate

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPaths(t *testing.T) {
	for declared, want := range map[string][]string{
		"":                          nil,
		" \n,, \n":                  nil,
		"a.txt":                     {"a.txt"},
		"a.txt, b.txt\n c d.txt ":   {"a.txt", "b.txt", "c d.txt"},
		`a\,b.txt,c`:                {"a,b.txt", "c"},
		"reads_{1,2}.fq,genome.fa":  {"reads_{1,2}.fq", "genome.fa"},
		"{a,{b,c}},d":               {"{a,{b,c}}", "d"},
		"}a,b":                      {"}a", "b"},
		"{a\nb,c":                   {"{a", "b", "c"},
		`a\*b` + "\n" + `\` + "\nc": {`a\*b`, `\`, "c"},
		"a.txt\r\nb.txt\r\n":        {"a.txt", "b.txt"},
	} {
		if got := Paths(declared); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", declared, got, want)
		}
	}
}

// FuzzPaths: what Paths returns is read again as the same paths, one in each line.
func FuzzPaths(f *testing.F) {
	for _, seed := range []string{"a,b", `a\,b`, "{a,b}", "{\n}", `\`, "a\\\nb", ", ,"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, declared string) {
		for _, path := range Paths(declared) {
			if path == "" || strings.TrimSpace(path) != path || strings.Contains(path, "\n") {
				t.Errorf("%q contains the path %q", declared, path)
			}
			CheckPaths([]string{path}, true)

			if !isPattern(path) && isPattern(literal(path)) && !strings.Contains(path, `\`) {
				t.Errorf("%q becomes a pattern", path)
			}
		}
	})
}

// write makes files with contents, in folders as needed.
func write(t testing.TB, folder string, files ...string) {
	t.Helper()
	for _, file := range files {
		name, content, _ := strings.Cut(file, "=")
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestExpand(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "with [odd] {name}")
	write(t, folder, "a.txt", "b.txt", "d/a.txt", "d/e/a.txt", "d/b.csv", "star*.txt", "../beside.txt")
	for declared, want := range map[string]string{
		"b.txt,a.txt,./a.txt":  "a.txt b.txt",
		"*.txt":                "a.txt b.txt star*.txt",
		`star\*.txt`:           "star*.txt",
		"d":                    "d",
		"d/":                   "d",
		"d/*":                  "d/a.txt d/b.csv d/e",
		"**/a.txt":             "a.txt d/a.txt d/e/a.txt",
		"d/**":                 "d/a.txt d/b.csv d/e/a.txt",
		"{a,b}.txt":            "a.txt b.txt",
		"../*.txt":             "../beside.txt",
		"nothing/*.txt, a.txt": "a.txt",
		"[ab].txt":             "a.txt b.txt",
	} {
		got, err := Expand(folder, Paths(declared))
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %q %v, want %s", declared, got, err, want)
		}
	}
	absolute := filepath.Join(t.TempDir(), "a.txt")
	write(t, filepath.Dir(absolute), "a.txt")
	if got, err := Expand("/nowhere", []string{absolute}); err != nil || !slices.Equal(got, []string{absolute}) {
		t.Errorf("%q %v", got, err)
	}
	_, err := Expand(folder, Paths("none.txt, a.txt, d/none"))
	var missing *MissingError
	if !errors.As(err, &missing) || err.Error() != "missing inputs none.txt, d/none" {
		t.Errorf("%v", err)
	}
}

func TestCheckPaths(t *testing.T) {
	for _, c := range []struct {
		path     string
		patterns bool
		want     string
	}{
		{"a*.txt", true, ""},
		{"a*.txt", false, "outputs need names"},
		{`a\*.txt`, false, ""},
		{"a[.txt", true, "not closed"},
		{"a\x00", true, "NUL"},
	} {
		err := CheckPaths([]string{"good", c.path}, c.patterns)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.path, err, c.want)
		}
	}
}
