package api_test

import (
	"reflect"
	"testing"

	"wf/api"
)

func TestQueryRoundTrip(t *testing.T) {
	for want, question := range map[string]any{
		"nodes=0&stages=7":                 &api.StatusQuery{Stages: 7},
		"":                                 &api.WatchOptions{Nodes: true}, // all events
		"node=a%26&node=b":                 &api.LiveQuery{Nodes: []string{"a&", "b"}},
		"follow=1&node=n&offset=5&times=1": &api.OutputQuery{LogQuery: api.LogQuery{Node: "n", Times: true}, Offset: 5, Follow: true},
		"key=k&run=3&scope=run":            &api.KVQuery{KVScope: api.KVScope{Scope: api.KVRun, Run: "3"}, Key: "k"},
		"caller=%7B%22workfile%22%3A%22%2Fw%22%2C%22run%22%3A%221%22%2C%22node%22%3A%22n%22%2C%22execution%22%3A2%7D&nodes=0&type=run_complete": &api.WatchOptions{
			Events: []api.EventType{api.RunComplete}, Caller: &api.Caller{Workfile: "/w", Run: "1", Node: "n", Execution: 2}},
	} {
		values := api.EncodeQuery(reflect.ValueOf(question).Elem().Interface())
		if got := values.Encode(); got != want {
			t.Errorf("%+v is encoded as %q, want %q", question, got, want)
		}
		decoded := reflect.New(reflect.TypeOf(question).Elem())
		if err := api.DecodeQuery(values, decoded.Interface()); err != nil {
			t.Error(err)
		}
		if !reflect.DeepEqual(decoded.Interface(), question) {
			t.Errorf("%q is decoded as %+v, want %+v", want, decoded, question)
		}
	}
}

func TestQueryRefusesWhatIsNotANumber(t *testing.T) {
	for _, text := range []string{"-1", "x", "99999999999999999999"} {
		if err := api.DecodeQuery(map[string][]string{"offset": {text}}, &api.OutputQuery{}); err == nil {
			t.Errorf("offset=%s is accepted", text)
		}
	}
}

func TestPlaceholdersAreEscaped(t *testing.T) {
	if got, want := api.StopRun.At("a/b", "{x}"), "/v1/workspaces/a%2Fb/runs/%7Bx%7D/stop"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
