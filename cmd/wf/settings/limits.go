package settings

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"wf/graph/timespan"
	"wf/scheduler/flow"
)

// Limits are the settings of an executor that bound what a run submits and holds. Zero values are not given.
type Limits struct {
	SubmitCalls int           // in SubmitTime
	SubmitTime  time.Duration // of SubmitCalls
	Resources   flow.Resources
	PoolSize    int
	PoolTime    time.Duration
	PoolIdle    time.Duration
	PoolCount   int
}

// limitKeys are the keys of Limits.
func limitKeys() []ProfileKey {
	seconds := func(to func(p *Profile) *time.Duration) func(*Profile, string) error {
		return func(p *Profile, text string) (err error) { *to(p), err = timespan.Parse(text); return err }
	}
	number := func(to func(p *Profile) *int) func(*Profile, string) error {
		return func(p *Profile, text string) (err error) { *to(p), err = strconv.Atoi(text); return err }
	}
	return []ProfileKey{
		{Setting{Key: "submit_rate", Kind: KindText, Builtin: "", Help: "most submissions of a run in a time: 20/1m"},
			func(p *Profile, text string) (err error) {
				p.Limits.SubmitCalls, p.Limits.SubmitTime, err = parseRate(text)
				return err
			}},
		{Setting{Key: "resource_limits", Kind: KindText, Help: "most that a command gets: cpus=64 mem=512G gpus=8 time=2d"},
			func(p *Profile, text string) (err error) {
				p.Limits.Resources, err = parseResourceLimits(text)
				return err
			}},
		{Setting{Key: "pool_size", Kind: KindNumber, Builtin: "8", Help: "commands that an allocation of a pool executes at once"},
			number(func(p *Profile) *int { return &p.Limits.PoolSize })},
		{Setting{Key: "pool_time", Kind: KindTime, Builtin: "1h", Help: "time after which an allocation of a pool ends"},
			seconds(func(p *Profile) *time.Duration { return &p.Limits.PoolTime })},
		{Setting{Key: "pool_idle", Kind: KindTime, Builtin: "1m", Help: "time without commands after which it is given back"},
			seconds(func(p *Profile) *time.Duration { return &p.Limits.PoolIdle })},
		{Setting{Key: "pool_limit", Kind: KindNumber, Builtin: "4", Help: "most allocations that the pools of a run hold"},
			number(func(p *Profile) *int { return &p.Limits.PoolCount })},
	}
}

// parseRate reads N/TIME: 20/1m, 5/s.
func parseRate(text string) (calls int, per time.Duration, err error) {
	wrong := fmt.Errorf("%s is no rate; write it like 20/1m", text)
	number, length, found := strings.Cut(strings.ReplaceAll(text, " ", ""), "/")
	if calls, err = strconv.Atoi(number); !found || err != nil || calls < 1 {
		return 0, 0, wrong
	}
	if per, err = timespan.Parse(length); err != nil {
		per, err = timespan.Parse("1" + length)
	}
	if err != nil || per <= 0 {
		return 0, 0, wrong
	}
	return calls, per, nil
}

// limitedResources are the resources that can have a limit.
var limitedResources = []string{"cpus", "mem", "gpus", "time"}

// parseResourceLimits reads NAME=VALUE, separated by spaces or commas.
func parseResourceLimits(text string) (r flow.Resources, err error) {
	for _, part := range strings.FieldsFunc(text, func(c rune) bool { return c == ' ' || c == ',' }) {
		name, value, found := strings.Cut(part, "=")
		if !found || !slices.Contains(limitedResources, name) {
			return r, errors.New(part + " is no limit; there are " + strings.Join(limitedResources, ", ") + ": cpus=64 mem=512G time=2d")
		}
		if err := r.Set(name, value); err != nil {
			return r, fmt.Errorf("%s: %w", name, err)
		}
	}
	return r, nil
}
