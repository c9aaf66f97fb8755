package daemon

import (
	"context"
	"slices"
	"testing"

	"wf/api"
)

func (w *fake) Outlook(_ context.Context, run string) (api.RunOutlook, error) {
	return api.RunOutlook{Run: run}, nil
}

func (w *fake) Live(_ context.Context, run string, nodes []string) (api.RunLive, error) {
	live := api.RunLive{}
	for _, n := range nodes {
		live.Tails = append(live.Tails, api.NodeTail{Node: run + n, Text: []byte("\xff\n")})
	}
	return live, nil
}

func TestLiveRoutes(t *testing.T) {
	r := start(t, nil)
	_, path := r.open("/w")
	var outlook api.RunOutlook
	if e := r.ask("GET", path+"/runs"+"/7"+"/outlook", nil, &outlook); e != nil || outlook.Run != "7" {
		t.Errorf("outlook %+v, %v", outlook, e)
	}
	var live api.RunLive
	if e := r.ask("GET", path+"/runs"+"/7"+"/live"+"?node=a&node=b%26", nil, &live); e != nil {
		t.Fatal(e)
	}
	want := []string{"7a", "7b&"}
	if len(live.Tails) != 2 || !slices.Equal(want, []string{live.Tails[0].Node, live.Tails[1].Node}) || string(live.Tails[1].Text) != "\xff\n" {
		t.Errorf("live %+v, want the tails of %v, byte for byte", live, want)
	}
}
