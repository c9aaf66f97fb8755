package remote

import "testing"

func TestParseDestination(t *testing.T) {
	for text, want := range map[string]Destination{
		"ssh://box":                    {Host: "box"},
		"ssh://me@box:2222":            {User: "me", Host: "box", Port: 2222},
		"ssh://box/":                   {Host: "box"},
		"ssh://box/~/":                 {Host: "box"},
		"ssh://box/~/flows/x":          {Host: "box", Dir: "flows/x"},
		"ssh://box/data":               {Host: "box", Dir: "/data"},
		"ssh://me@[fe80::1]:22/a%20b/": {User: "me", Host: "fe80::1", Port: 22, Dir: "/a b"},
	} {
		d, err := ParseDestination(text)
		if err != nil || d != want {
			t.Errorf("%s: %+v, %v", text, d, err)
		}
		if again, err := ParseDestination(d.String()); err != nil || again != d {
			t.Errorf("%s becomes %s: %+v, %v", text, d, again, err)
		}
	}
	for _, bad := range []string{"", "box", "ssh:", "ssh://", "ssh:box", "http://box", "ssh://-oProxyCommand=x", "ssh://-l@box", "ssh://a;b",
		"ssh://$(x)", "ssh://`x`@box", "ssh://a b", "ssh://me:secret@box", "ssh://box:0", "ssh://box:70000", "ssh://box?x", "ssh://box#x",
		"ssh://b%0aox", "ssh://box/a%00b", "ssh://%2doProxy"} {
		if d, err := ParseDestination(bad); err == nil {
			t.Errorf("%s is accepted: %+v", bad, d)
		}
	}
}
