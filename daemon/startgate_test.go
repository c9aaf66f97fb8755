package daemon

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestStartGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g startGate
		for range 2 {
			if !g.enter() {
				t.Fatal("an open gate refuses")
			}
		}
		go func() {
			time.Sleep(time.Second)
			g.leave()
			if g.enter() {
				t.Error("a start begins while the gate is shut")
			}
			time.Sleep(time.Second)
			g.leave()
		}()
		begin := time.Now()
		open := g.shut(t.Context())
		if took := time.Since(begin); took != 2*time.Second {
			t.Errorf("it took %v to shut the gate", took)
		}
		again := g.shut(t.Context())
		open()
		if g.enter() {
			t.Error("another one has shut it, too")
		}
		again()
		if !g.enter() {
			t.Error("the gate does not open again")
		}
		begin = time.Now()
		g.shut(t.Context()) // one start does not end
		if took := time.Since(begin); took != gateTime {
			t.Errorf("it took %v to shut the gate before a start that does not end", took)
		}
	})
}
