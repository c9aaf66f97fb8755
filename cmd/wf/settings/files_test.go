package settings

import (
	"strings"
	"testing"

	"wf/cmd/wf/exit"
)

func TestParseConfig(t *testing.T) {
	good := "# mine\njobs = 3\nwrapper = \"nice {}\"\n\nascii = true\ngrace = '30s'\nkeep-age = \"30d\"\n"
	found, err := parseConfig("c.toml", []byte(good), true)
	if err != nil {
		t.Fatal(err)
	}
	want := Values{"jobs": {"3", "c.toml:2"}, "wrapper": {"nice {}", "c.toml:3"}, "ascii": {"true", "c.toml:5"},
		"grace": {"30s", "c.toml:6"}, "keep-age": {"30d", "c.toml:7"}}
	if len(found) != len(want) {
		t.Errorf("found %v", found)
	}
	for key, v := range want {
		if found[key] != v {
			t.Errorf("%s = %v, want %v", key, found[key], v)
		}
	}
}

func TestParseConfigErrors(t *testing.T) {
	for text, want := range map[string][4]string{ // what, where, why, fix
		"jobs = 3\noutptu = \"none\"":    {"unknown key 'outptu'", "c:2", "did you mean output?", "wf help config lists all keys"},
		"[run]\njobs = 3":                {"unknown key 'run'", "c:1", "", "wf help config lists all keys"},
		"run.jobs = 3":                   {"unknown key 'run", "c:1", "", "wf help config lists all keys"},
		"\njobs = \"3\"":                 {"jobs = 3: must be a whole number, as in jobs = 4", "c:2", "", "wf help config"},
		"jobs = 3.5":                     {"jobs = 3.5: must be a whole number", "c:1", "", "wf help config"},
		"jobs = -1":                      {"jobs = -1: must be a whole number, 0 or more", "c:1", "", "wf help config"},
		"jobs = [1]":                     {"jobs = [1]: must be a whole number", "c:1", "", "wf help config"},
		"grace = 10":                     {"grace = 10: must be a time in quotes", "c:1", "", "wf help config"},
		"grace = \"10\"":                 {"grace = 10: must be a time like 10s", "c:1", "", "wf help config"},
		"color = \"nevr\"":               {"color = nevr: must be one of auto, always, never", "c:1", "did you mean never?", "wf help config"},
		"ascii = \"yes\"":                {"ascii = yes: must be true or false", "c:1", "", "wf help config"},
		"jobs = 1\njobs = 2":             {"the configuration cannot be read", "c:2", "", ""},
		"jobs = 1\n\nwrapper = \"\x00\"": {"the configuration cannot be read", "c:3", "", ""},
		"port = 1":                       {"port is a setting of the daemon", "c:1", "", "move it to your own configuration"},
	} {
		_, err := parseConfig("c", []byte(text), false)
		if err == nil {
			t.Errorf("%q: no error", text)
			continue
		}
		f := exit.Describe(err)
		if exit.Status(err) != exit.BadUsage || !strings.HasPrefix(f.What, want[0]) || f.Where != want[1] ||
			!strings.HasPrefix(f.Why, want[2]) || !strings.HasPrefix(f.Fix, want[3]) {
			t.Errorf("%q: %+v", text, f)
		}
	}
}
