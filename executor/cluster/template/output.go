package template

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"wf/executor/cluster"
	"wf/graph/pattern"
)

// A reader finds jobs in the output of a command. A nil expression finds nothing.
type reader struct {
	what                                      string // the key of the command
	end                                       *regexp.Regexp
	job, name, id, index, state, host, reason *regexp.Regexp
	phases                                    map[string]cluster.Phase
	first                                     int // the index of the first task
}

// ourName is the form of the names of our jobs.
var ourName = pattern.Of(cluster.NamePrefix + `[0-9a-f]+-[0-9]+`)

// read returns the states of our jobs. It is an error if the output ends too early or has a job of ours that cannot be
// understood: then nothing is known.
func (r *reader) read(output string) ([]cluster.State, error) {
	if r.end != nil && !r.end.MatchString(output) {
		return nil, fmt.Errorf("%s printed no end as in %s: …%q", r.what, strings.TrimPrefix(r.end.String(), "(?m)"), tail(output))
	}
	var states []cluster.State
	for _, text := range r.split(output) {
		if !ourName.Get().MatchString(text) {
			continue
		}
		s, ours, err := r.read1(text)
		if err != nil {
			return nil, err
		}
		if ours {
			states = append(states, s)
		}
	}
	return states, nil
}

// tail returns the end of a text.
func tail(text string) string { return text[max(0, len(text)-100):] }

// split returns the texts of the jobs.
func (r *reader) split(output string) []string {
	if r.job == nil {
		return strings.Split(output, "\n")
	}
	var texts []string
	begins := r.job.FindAllStringIndex(output, -1)
	for i, b := range begins {
		end := len(output)
		if i+1 < len(begins) {
			end = begins[i+1][0]
		}
		texts = append(texts, output[b[0]:end])
	}
	return texts
}

// read1 reads the text of a job.
func (r *reader) read1(text string) (s cluster.State, ours bool, err error) {
	problem := func(key string, e *regexp.Regexp) error {
		prefix, _, _ := strings.Cut(r.what, "_")
		return fmt.Errorf("%s printed %q, in which %s_%s finds nothing: %s", r.what, text, prefix, key, strings.TrimPrefix(e.String(), "(?m)"))
	}
	find := func(key string, e *regexp.Regexp, must bool) string {
		if e == nil {
			return ""
		}
		m := e.FindStringSubmatch(text)
		if m == nil && must && err == nil {
			err = problem(key, e)
		}
		return firstGroup(m)
	}
	s = cluster.State{Name: find("name", r.name, true), Ref: cluster.Ref{Job: find("id", r.id, true), Index: -1}, Text: find("state", r.state, true),
		Host: find("host", r.host, false), Reason: find("reason", r.reason, false)}
	if err != nil {
		return s, false, err
	}
	if index := find("index", r.index, false); index != "" {
		n, wrong := strconv.Atoi(index)
		if wrong != nil || n < r.first {
			return s, false, problem("index", r.index)
		}
		s.Ref.Index = n - r.first
	}
	s.Phase = r.phases[s.Text]
	at := ourName.Get().FindStringIndex(s.Name)
	if at == nil || at[0] != 0 {
		return s, false, nil
	}
	s.Name = s.Name[:at[1]] // Torque adds the index of the task
	return s, true, nil
}

// firstGroup returns the first group of a match that is not empty, without blanks around it.
func firstGroup(m []string) string {
	if len(m) == 0 {
		return ""
	}
	return strings.TrimSpace(cmp.Or(m[1:]...))
}

// phases returns the meaning of the words for states. Others are cluster.Unknown.
func (p Profile) phases() map[string]cluster.Phase {
	all := map[string]cluster.Phase{}
	for _, s := range []struct {
		words string
		phase cluster.Phase
	}{
		{p.States.Waiting, cluster.Waiting}, {p.States.Running, cluster.Running}, {p.States.Completed, cluster.Completed}, {p.States.Cancelled, cluster.Cancelled},
		{p.States.OOM, cluster.OutOfMemory}, {p.States.Timeout, cluster.TimeUp}, {p.States.NodeFail, cluster.NodeFailed}, {p.States.Preempted, cluster.Preempted},
		{p.States.NotBegun, cluster.NotLaunched},
	} {
		for _, w := range strings.Fields(s.words) {
			all[w] = s.phase
		}
	}
	return all
}

func presetNames() []string {
	names := make([]string, 0, len(presets))
	for name := range presets {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
