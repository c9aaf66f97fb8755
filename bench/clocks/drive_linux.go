package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"
)

// mostAhead bounds how far the clock is set ahead of what it would show, and twice how far it is set back.
const mostAhead = 4 * time.Hour

// A driver lets things happen to the machine.
type driver struct {
	rand   *rand.Rand
	places []*place
	ahead  time.Duration // how far the clock is set ahead
	latest time.Time     // that the clock has shown
	events map[string]int
}

// drive is the work in the machine. It returns an exit status.
func drive() int {
	err := func() error {
		var p Plan
		data, err := os.ReadFile(planFile)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(data, &p); err != nil {
			return err
		}
		d := &driver{rand: rand.New(rand.NewPCG(p.Seed, 15)), events: map[string]int{}}
		return d.play(p)
	}()
	if err != nil {
		fmt.Println(err)
		fmt.Println(verdict + "broken")
		return 1
	}
	fmt.Println(verdict + "kept")
	return 0
}

// play lets things happen until the clock has passed enough instants, and checks what came of them.
func (d *driver) play(plan Plan) error {
	for _, policy := range []string{"none", "latest", "all"} {
		p, err := newPlace(policy)
		if err != nil {
			return err
		}
		d.places = append(d.places, p)
	}
	for count := 0; d.number() < plan.Instants || count < plan.Events; count++ {
		if err := d.step(); err != nil {
			return err
		}
		if now := time.Now(); now.After(d.latest) {
			d.latest = now
		}
		_, awake := bootTime()
		fmt.Printf("%6.0fs  instant %d, clock %+v, %v\n", awake.Seconds(), d.number(), d.ahead, d.events)
	}
	for _, p := range d.places {
		if p.down {
			if err := p.revive(); err != nil {
				return err
			}
		}
	}
	var all []error
	for _, p := range d.places {
		all = append(all, d.settle(p))
	}
	return errors.Join(all...)
}

// number returns how many instants the clock has passed.
func (d *driver) number() int { return int(d.latest.Sub(d.places[0].begin) / interval) }

// step lets one thing happen, or several, and some time pass.
func (d *driver) step() error {
	names := []string{"forward", "forward", "back", "sleep", "kill", "kill", "kill", "nothing"}
	event := names[d.rand.IntN(len(names))]
	if event == "forward" && d.ahead >= mostAhead || event == "back" && d.ahead <= -mostAhead/2 {
		event = "nothing"
	}
	d.events[event]++
	p := d.places[d.rand.IntN(len(d.places))]
	var err error
	switch event {
	case "forward":
		err = d.set(time.Hour)
	case "back":
		err = d.set(-time.Hour)
	case "sleep":
		err = d.sleep()
	case "kill":
		err = d.kill(p)
	}
	if err != nil {
		return err
	}
	time.Sleep(time.Duration(d.rand.Int64N(int64(8 * time.Second))))
	for _, p := range d.places {
		if p.down && (event != "kill" || d.rand.IntN(2) == 0) {
			if err := p.revive(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *driver) set(by time.Duration) error {
	d.ahead += by
	return setClock(by)
}

// sleep suspends the machine, in most cases for longer than instants may be late.
func (d *driver) sleep() error {
	all, awake := bootTime()
	want := time.Duration(20+d.rand.IntN(60)) * time.Second
	if err := sleepMachine(want); err != nil {
		return err
	}
	all2, awake2 := bootTime()
	if slept := (all2 - all) - (awake2 - awake); slept < want/2 {
		return fmt.Errorf("the machine slept for %v, and not for %v", slept, want)
	}
	return nil
}

// kill kills the daemon of a place within 200 ms after an instant, or after one that comes later because the clock was set back.
func (d *driver) kill(p *place) error {
	if p.down {
		return nil
	}
	since := time.Since(p.begin)
	time.Sleep(interval - (since%interval+interval)%interval + time.Duration(d.rand.Int64N(int64(200*time.Millisecond))))
	return p.kill()
}

// settle waits until all starts have an end and all runs are over, and checks them.
func (d *driver) settle(p *place) error {
	var problem error
	for begin := time.Now(); time.Since(begin) < 15*time.Minute; time.Sleep(5 * time.Second) {
		now := d.check(p)
		if now == nil {
			return nil
		}
		if problem == nil || problem.Error() != now.Error() {
			fmt.Println("not yet:", now)
		}
		problem = now
	}
	out, err := p.wf("trigger", "log", "-n", "0")
	fmt.Printf("%s: %s\n%v\n", p.policy, out, err)
	return problem
}

// check compares what was executed with the ledger and with the policy.
func (d *driver) check(p *place) error {
	times, order, err := p.commands()
	if err != nil {
		return err
	}
	records, err := p.ledger()
	if err != nil {
		return err
	}
	decided, skipped, refused := maps.Clone(times), 0, map[int]string{}
	for i, r := range records {
		n, err := p.number(r.Instant)
		switch {
		case err != nil && (r.Op == "skip" || r.Op == "end"):
			return err
		case r.Op == "skip":
			for k := n - r.Count + 1; k <= n; k++ {
				decided[k]++
			}
			skipped += r.Count
			if p.policy == "all" || p.policy == "latest" && (i+1 == len(records) || records[i+1].Op != "start") {
				return fmt.Errorf("%s: %d instants up to %d were skipped", p.policy, r.Count, n)
			}
		case r.Op == "end" && r.Error != "" && n <= d.number():
			refused[n] = r.Error
		}
	}
	for n, why := range refused {
		// A run that is active refuses the next one, unless all instants shall have one.
		if decided[n]++; p.policy == "all" || !strings.Contains(why, "is active") {
			return fmt.Errorf("%s: instant %d was refused: %s", p.policy, n, why)
		}
	}
	for n := 1; n <= d.number(); n++ {
		if decided[n] != 1 {
			return fmt.Errorf("%s: instant %d of %d was decided %d times and executed %d times", p.policy, n, d.number(), decided[n], times[n])
		}
	}
	if !slices.IsSorted(order) {
		return fmt.Errorf("%s: the runs do not follow each other as their instants do", p.policy)
	}
	fmt.Printf("%-6s  %d instants: %d executed, each once; %d skipped, %d refused\n", p.policy, d.number(), len(times), skipped, len(refused))
	return nil
}
