package uptodate

import "testing"

func TestChanging(t *testing.T) {
	var c Changing
	task := func(paths ...string) Task { return Task{Folder: "/work", Inputs: paths, Outputs: paths} }
	if c.Reaches(task("a", "*", "/")) {
		t.Error("nothing changes, and reaches something")
	}
	c.Add(task("out/a.txt", "/data/set", "star\\*"))
	for input, want := range map[string]bool{
		"out/a.txt": true, "./out/a.txt": true, "out": true, "out/a.txt/part": true, "out/b.txt": false, "/data/set/x": true, "/data": true,
		"/data/other": false, "out/*.txt": true, "out/*.csv": false, "*/a.txt": true, "**/a*": true, "in/**": false, "star\\*": true, "star": false,
		"/data/set/*.x": true, "ou[t]": true,
	} {
		if got := c.Reaches(task(input)); got != want {
			t.Errorf("%s: %t", input, got)
		}
	}
}
