package armed

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"wf/api"
)

// TestUnavailable checks what becomes of instants while the workfile cannot be opened for six minutes: none is told at once,
// latest and all are made up for afterwards.
func TestUnavailable(t *testing.T) {
	for policy, want := range map[string][]int{"none": {480}, "latest": {360, 480}, "all": {120, 240, 360, 480}} {
		t.Run(policy, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				path := b.file("w", "every: 2m catchup="+policy)
				away := time.Now().Add(6*time.Minute + 30*time.Second)
				b.accept = func(string, api.RunRequest) error {
					if time.Now().Before(away) {
						return &UnavailableError{errors.New("it is not mounted")}
					}
					return nil
				}
				begin := time.Now()
				k := b.keeper()
				b.must(b.enable(k, path))
				time.Sleep(2*time.Minute + time.Second)
				got := b.results(k, path)
				if len(got) != 1 || policy == "none" && got[0] != "refused it is not mounted" || policy != "none" && got[0] != "starting it is not mounted" {
					t.Errorf("the log says %q", got)
				}
				list, err := k.List(t.Context(), api.TriggersQuery{})
				if err != nil || list.Workfiles[0].Problem != "it is not mounted" {
					t.Errorf("the list says %+v, %v", list, err)
				}
				time.Sleep(7 * time.Minute)
				b.wantInstants(begin, want...)
				list, err = k.List(t.Context(), api.TriggersQuery{})
				if err != nil || list.Workfiles[0].Problem != "" {
					t.Errorf("afterwards the list says %+v, %v", list, err)
				}
				k.Close()
			})
		})
	}
}
