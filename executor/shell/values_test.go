package shell

import (
	"slices"
	"strings"
	"testing"
)

func TestValues(t *testing.T) {
	long := "LONG=" + strings.Repeat("x", MaxString-len("LONG=")-1)
	for name, c := range map[string]struct {
		command   string
		variables []string
		env       []string
		file      string
		err       string
	}{
		"none":                {"true", nil, nil, "", ""},
		"all fit":             {"true", []string{"A=1", long}, []string{"A=1", long}, "", ""},
		"one byte too many":   {"true", []string{"A=1", long + "x"}, nil, "", "the value of LONG has 131067 bytes, and a variable can have 131066 at most"},
		"a zero byte":         {"true", []string{"A=\x00"}, nil, "", "the value of A contains a zero byte"},
		"a file for no value": {"cat $WF_INPUT", nil, nil, "{}", ""},
		"a file":              {"cat $WF_INPUT", []string{"A=1=2", "B=\x00"}, []string{"A=1=2"}, `{"A":"1=2","B":"\u0000"}`, ""},
	} {
		env, file, err := Values(c.command, c.variables)
		if !slices.Equal(env, c.env) || string(file) != c.file || (err == nil) != (c.err == "") || err != nil && !strings.HasPrefix(err.Error(), c.err) {
			t.Errorf("%s: %.80q, %q, %v", name, env, file, err)
		}
	}
}
