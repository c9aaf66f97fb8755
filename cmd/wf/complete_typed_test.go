package main

import (
	"slices"
	"testing"
)

func TestTypedLines(t *testing.T) {
	get := func(key string) string { return map[string]string{"HOME": "/home/u", "D": "/data"}[key] }
	for _, tc := range []struct {
		shell, line string
		words       []string
		word        string
		redirect    bool
	}{
		{"bash", "wf ", nil, "", false},
		{"bash", "wf", nil, "", false},
		{"bash", "wf ru", nil, "ru", false},
		{"bash", `wf run 'a b' "c $D" d\ e $D/f`, []string{"run", "a b", "c /data", "d e"}, "/data/f", false},
		{"bash", `wf run "$(touch PWN)" $(touch PWN) ` + "`x` ${D} ${x:-y} ", []string{"run", "$(touch PWN)", "$(touch", "PWN)", "`x`", "/data", "${x:-y}"}, "", false},
		{"bash", "wf run ~/x ~", []string{"run", "/home/u/x"}, "/home/u", false},
		{"bash", `wf run "so`, []string{"run"}, "so", false},
		{"bash", "wf run '", []string{"run"}, "", false},
		{"bash", `wf run \`, []string{"run"}, "", false},
		{"bash", "wf run --output=gr", []string{"run"}, "--output=gr", false},
		{"bash", "wf run > ou", []string{"run"}, "ou", true},
		{"bash", "wf run 2>err <in -q >>", []string{"run", "-q"}, "", true},
		{"fish", `wf run 'it\'s' x`, []string{"run", "it's"}, "x", false},
		{"powershell", "wf run a` b x", []string{"run", "a b"}, "x", false},
	} {
		got := readTyped(tc.line, tc.shell, get)
		if !slices.Equal(got.words, tc.words) || got.word != tc.word || got.redirect != tc.redirect {
			t.Errorf("%s %q: %q, %q, %v", tc.shell, tc.line, got.words, got.word, got.redirect)
		}
	}
}

// TestBashReplies checks the texts that replace the current word of bash, which starts after the last = or colon.
func TestBashReplies(t *testing.T) {
	get := func(key string) string { return map[string]string{"HOME": "/home/u"}[key] }
	for _, tc := range []struct {
		line, word string
		offers     []string
		noSpace    bool
		want       []string
	}{
		{"wf run so", "so", []string{"sort"}, false, []string{"sort "}},
		{"wf run so", "so", []string{"sort,"}, true, []string{"sort,"}},
		{"wf run a", "a", []string{"a b", "a c"}, false, []string{`a\ b`, `a\ c`}},
		{"wf run 'a", "a", []string{"a b"}, false, []string{"a b' "}},
		{"wf run --output=gr", "gr", []string{"grouped"}, false, []string{"grouped "}},
		{"wf run --output=", "", []string{"grouped"}, false, []string{"grouped "}},
		{"wf run -p x=y", "y", []string{"x=yes"}, false, []string{"yes "}},
		{"wf run -p x=y", "y", []string{"z=yes"}, false, nil},
		{"wf run --nodes g:a", "a", []string{"g:align"}, true, []string{"align"}},
		{"wf run ~/fl", "~/fl", []string{"/home/u/flow.wf"}, false, []string{"~/flow.wf "}},
		{"wf run --env=~/f", "~/f", []string{"~/flow"}, false, []string{`\~/flow `}},
		{`wf run a\ b/c`, `a\ b/c`, []string{"a b/cd"}, false, []string{`a\ b/cd `}},
		{"wf run p[0", "p[0", []string{"p[0]/a"}, false, []string{`p\[0\]/a `}},
	} {
		a := answer{noSpace: tc.noSpace}
		for _, text := range tc.offers {
			a.offers = append(a.offers, offer{text: text})
		}
		typed := readTyped(tc.line, "bash", get)
		flag := ""
		if typed.word[0] == '-' {
			flag = "--output="
		}
		if tc.word == "~/f" {
			flag = "--env="
		}
		if got := a.bashReply(flag, typed, []string{tc.word, "80", "9"}); !slices.Equal(got, tc.want) {
			t.Errorf("%q: %q, want %q", tc.line, got, tc.want)
		}
	}
}
