package ledger

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"wf/trigger/webhook"
)

// delivery returns the record of a delivery of the hook h some minutes after noon.
func delivery(minutes int, change func(*Record)) Record {
	return at(Deliver, minutes, func(r *Record) {
		r.Hook, r.IDs, r.Key, r.Body = "h", []string{fmt.Sprint("id", minutes), fmt.Sprint("sum", minutes)}, fmt.Sprint("k", minutes), fmt.Sprint("b", minutes)
		if change != nil {
			change(r)
		}
	})
}

// TestDeliveries checks that deliveries wait until their runs start, and that their ids stay known, also after the file was
// rewritten and the workfile was disarmed.
func TestDeliveries(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger")
	l := open(t, path)
	put(t, l, at(Arm, 0, nil), delivery(1, nil), delivery(2, nil), delivery(3, nil))
	put(t, l, at(Start, 4, func(r *Record) { r.Key, r.Body, r.Hook = "k1", "b1", "h" }))
	put(t, l, at(Start, 4, func(r *Record) { r.Key, r.Body, r.Hook = "k2", "b2", "h" }), at(End, 5, func(r *Record) { r.Key = "k2" }))
	check := func(l *Ledger) {
		t.Helper()
		if w := l.Deliveries("w", "t"); len(w) != 1 || w[0].Key != "k3" || !slices.Equal(w[0].IDs, delivery(3, nil).IDs) {
			t.Errorf("%+v wait", w)
		}
		if got := slices.Sorted(maps.Keys(l.Bodies())); !slices.Equal(got, []string{"b1", "b3"}) {
			t.Errorf("the bodies %q are needed", got)
		}
		for _, id := range []string{"id1", "sum1", "id2", "sum3"} {
			if !l.KnownDelivery("h", []string{"new", id}) {
				t.Errorf("%s is not known", id)
			}
		}
		if l.KnownDelivery("h", []string{"id4"}) || l.KnownDelivery("other", []string{"id1"}) {
			t.Error("a delivery is known that was not sent")
		}
	}
	check(l)
	again := open(t, path)
	check(again)
	if err := again.compact(); err != nil {
		t.Fatal(err)
	}
	check(again)
	check(open(t, path))
	put(t, again, at(Disarm, 70, func(r *Record) { r.Trigger = "" }))
	if !again.KnownDelivery("h", []string{"id2"}) || len(again.Deliveries("w", "t")) > 0 || len(again.Bodies()) > 0 {
		t.Error("disarmed, deliveries still wait, or are forgotten")
	}
	if err := again.compact(); err != nil {
		t.Fatal(err)
	}
	if last := open(t, path); last.Damaged() > 0 || !last.KnownDelivery("h", []string{"sum2"}) {
		t.Error("the ids are forgotten after the file was rewritten")
	}
}

// TestManyDeliveries checks that the ledger and its memory stay small, whatever the number of deliveries.
func TestManyDeliveries(t *testing.T) {
	l := open(t, filepath.Join(t.TempDir(), "ledger"))
	put(t, l, at(Arm, 0, nil))
	for i := range 3 * webhook.Remembered {
		if err := l.Note(delivery(i+1, nil), at(Start, i+1, func(r *Record) { r.Key, r.Body = fmt.Sprint("k", i+1), "b" }), at(End, i+1, func(r *Record) { r.Key = fmt.Sprint("k", i+1) })); err != nil {
			t.Fatal(err)
		}
	}
	if l.size > 8<<20 || len(l.Deliveries("w", "t")) > 0 || len(l.Pending("w")) > 0 {
		t.Errorf("the file has %d bytes; %d deliveries wait", l.size, len(l.Deliveries("w", "t")))
	}
	if last := 3 * webhook.Remembered; !l.KnownDelivery("h", delivery(last, nil).IDs) || l.KnownDelivery("h", delivery(1, nil).IDs) {
		t.Error("not the latest deliveries are known")
	}
}

// TestRejects checks that refused requests are counted in one entry for each reason.
func TestRejects(t *testing.T) {
	l := open(t, filepath.Join(t.TempDir(), "ledger"))
	put(t, l, at(Arm, 0, nil), at(Start, 1, nil), at(End, 1, nil))
	for i := range 500 {
		put(t, l, at(Reject, 2+i, func(r *Record) { r.Hook, r.Count, r.Why = "h", 3, "a wrong signature" }))
	}
	put(t, l, at(Reject, 600, func(r *Record) { r.Hook, r.Count, r.Why = "h", 1, "too old" }))
	got := l.Recent("w")
	if len(got) != 4 || got[2].Count != 1500 || !got[2].Instant.Equal(at(Reject, 2, nil).Instant) || !got[2].Time.Equal(at(Reject, 501, nil).Time) || got[3].Count != 1 {
		t.Errorf("recent are %+v", got)
	}
}
