package procattr

import (
	"encoding/json"
	"reflect"
	"testing"

	"wf/executor/jsonline"
)

func TestParse(t *testing.T) {
	w, err := Parse([]byte(`{"umask":18,"nice":-3,"cpus":"0-2,7","limits":{"nofile":{"soft":9,"hard":-1}},"later":1}`))
	if err != nil || *w.Umask != 0o22 || *w.Nice != -3 || w.CPUs != "0-2,7" || w.Limits["nofile"] != (Limit{9, -1}) {
		t.Errorf("%+v, %v", w, err)
	}
	for _, bad := range []string{`{`, `{"umask":512}`, `{"umask":-1}`, `{"nice":20}`, `{"cpus":"a"}`, `{"cpus":"3-1"}`, `{"cpus":"0-99999999"}`, `{"limits":{"core":{"soft":-2}}}`} {
		if w, err := Parse([]byte(bad)); err == nil {
			t.Errorf("%s: %+v", bad, w)
		}
	}
	if w, err := Parse(nil); err != nil || w.differs() {
		t.Errorf("none: %+v, %v", w, err)
	}
}

func TestCPUs(t *testing.T) {
	for text, want := range map[string][]int{"": nil, "0": {0}, "0-1": {0, 1}, "0-2,5,7-8": {0, 1, 2, 5, 7, 8}} {
		got, err := parseCPUs(text)
		if err != nil || !reflect.DeepEqual(got, want) || writeCPUs(got) != text {
			t.Errorf("%q: %v, %v, back %q", text, got, err, writeCPUs(got))
		}
	}
}

// TestOwn checks that the attributes of this process are valid, and that no system call is needed to set them.
func TestOwn(t *testing.T) {
	data, err := json.Marshal(Own())
	if err != nil {
		t.Fatal(err)
	}
	w, err := Parse(data)
	if err != nil || w.differs() {
		t.Errorf("%s: %v", data, err)
	}
	var byHand, unmarshalled Attributes
	if !jsonline.ReadObject(data, byHand.member) || json.Unmarshal(data, &unmarshalled) != nil || !reflect.DeepEqual(byHand, unmarshalled) {
		t.Errorf("%s is read as %+v", data, byHand)
	}
	if len(w.Limits) < 5 || w.Umask == nil || w.Nice == nil {
		t.Errorf("attributes are missing: %s", data)
	}
}

// TestEncode compares Encode with encoding/json.
func TestEncode(t *testing.T) {
	umask, nice := 0o22, -5
	for _, w := range []Attributes{{}, Own(), {Umask: &umask}, {Nice: &nice, CPUs: "0-3,8"},
		{Limits: map[string]Limit{"stack": {-1, 1 << 40}, "as": {0, -1}}}} {
		want, err := json.Marshal(w)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.Encode(); string(got) != string(want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
