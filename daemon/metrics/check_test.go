package metrics

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// A reading of the texts that shares nothing with the writer: the rules of OpenMetrics 1.0.0 and of the text format 0.0.4 of
// Prometheus, as their specifications state them.

// sample is one line of a text.
type sample struct {
	name   string
	labels map[string]string
	value  float64
}

var (
	metricName = regexp.MustCompile(`^[a-zA-Z_:][a-zA-Z0-9_:]*`)
	validHelp  = regexp.MustCompile(`^([^\\]|\\[\\"n])*$`)
	labelName  = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*`)
)

// endings are the endings of the samples of a type.
var endings = map[string][]string{"counter": {"_total", "_created"}, "gauge": {""}, "info": {"_info"}, "histogram": {"_bucket", "_sum", "_count", "_created"}}

// checkText fails the test if a text breaks a rule, and returns its samples.
func checkText(t testing.TB, f Format, text string) []sample {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Fatalf("the text is not UTF-8: %q", text)
	}
	if f == OpenMetrics {
		if !strings.HasSuffix(text, "\n# EOF\n") && text != "# EOF\n" {
			t.Fatalf("no end in %q", text)
		}
		text = strings.TrimSuffix(text, "# EOF\n")
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		t.Fatal("the last line has no end")
	}
	r := textReader{t: t, format: f, families: map[string]bool{}}
	seen := map[string]bool{}
	var samples []sample
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "# "); ok {
			r.comment(line, rest)
			continue
		}
		s := readSample(t, line)
		r.belongs(line, s)
		id := line[:strings.LastIndexByte(line, ' ')]
		if seen[id] {
			t.Fatalf("two samples %s", id)
		}
		seen[id] = true
		samples = append(samples, s)
	}
	checkBuckets(t, samples)
	return samples
}

// textReader is the family that the reading is in.
type textReader struct {
	t            testing.TB
	format       Format
	families     map[string]bool
	described    string // by the latest HELP
	family, kind string // by the latest TYPE
}

// comment reads: HELP name text, TYPE name type, UNIT name unit
func (r *textReader) comment(line, rest string) {
	r.t.Helper()
	word, rest, _ := strings.Cut(rest, " ")
	name, what, _ := strings.Cut(rest, " ")
	switch word {
	case "HELP":
		if r.families[name] {
			r.t.Fatalf("%s has two descriptions", name)
		}
		r.families[name], r.described = true, name
		if !validHelp.MatchString(what) {
			r.t.Fatalf("a bad escape in %q", line)
		}
	case "TYPE":
		if name != r.described || endings[what] == nil || r.format == Prometheus && what == "info" {
			r.t.Fatalf("%q follows %s", line, r.described)
		}
		r.family, r.kind = name, what
	case "UNIT":
		if r.format != OpenMetrics || name != r.family || !strings.HasSuffix(name, "_"+what) {
			r.t.Fatalf("%q", line)
		}
	default:
		r.t.Fatalf("%q", line)
	}
}

// belongs checks that a sample belongs to the family.
func (r *textReader) belongs(line string, s sample) {
	r.t.Helper()
	ending, ok := strings.CutPrefix(s.name, r.family)
	allowed := endings[r.kind]
	if r.format == Prometheus && r.kind == "counter" {
		allowed = []string{""}
		if !strings.HasSuffix(r.family, "_total") {
			r.t.Fatalf("the counter %s has no _total", r.family)
		}
	}
	if !ok || !slices.Contains(allowed, ending) || r.format == Prometheus && ending == "_created" {
		r.t.Fatalf("%q in the family %s, a %s", line, r.family, r.kind)
	}
	if math.IsNaN(s.value) || s.value < 0 && r.kind != "gauge" {
		r.t.Fatalf("the value of %q", line)
	}
}

// checkBuckets checks that the buckets of histograms grow, and end with the count.
func checkBuckets(t testing.TB, samples []sample) {
	t.Helper()
	last, bound := 0.0, math.Inf(-1)
	for _, s := range samples {
		switch {
		case strings.HasSuffix(s.name, "_bucket"):
			le, err := strconv.ParseFloat(s.labels["le"], 64)
			if err != nil || le <= bound || s.value < last {
				t.Fatalf("the bucket %+v after %v, %v", s, bound, last)
			}
			last, bound = s.value, le
		case strings.HasSuffix(s.name, "_count"):
			if !math.IsInf(bound, 1) || s.value != last {
				t.Fatalf("%+v after the bucket %v: %v", s, bound, last)
			}
			last, bound = 0, math.Inf(-1)
		}
	}
}

// readSample reads: name{label="value",…} number
func readSample(t testing.TB, line string) sample {
	t.Helper()
	s := sample{name: metricName.FindString(line), labels: map[string]string{}}
	rest := line[len(s.name):]
	if s.name == "" {
		t.Fatalf("no name in %q", line)
	}
	if strings.HasPrefix(rest, "{") {
		for rest = rest[1:]; !strings.HasPrefix(rest, "}"); {
			name := labelName.FindString(rest)
			if name == "" || !strings.HasPrefix(rest[len(name):], `="`) {
				t.Fatalf("no label at %q", rest)
			}
			value, after := readValue(t, rest[len(name)+2:])
			if _, twice := s.labels[name]; twice {
				t.Fatalf("two labels %s in %q", name, line)
			}
			s.labels[name] = value
			rest = strings.TrimPrefix(after, ",")
		}
		rest = rest[1:]
	}
	number, ok := strings.CutPrefix(rest, " ")
	v, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil {
		t.Fatalf("no value in %q: %v", line, err)
	}
	s.value = v
	return s
}

// readValue reads the value of a label up to its quote.
func readValue(t testing.TB, text string) (value, rest string) {
	t.Helper()
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			return b.String(), text[i+1:]
		case '\\':
			i++
			if i == len(text) || !strings.ContainsRune(`\"n`, rune(text[i])) {
				t.Fatalf("a bad escape in %q", text)
			}
			if text[i] == 'n' {
				b.WriteByte('\n')
			} else {
				b.WriteByte(text[i])
			}
		default:
			if c < ' ' {
				t.Fatalf("a control character in %q", text)
			}
			b.WriteByte(c)
		}
	}
	t.Fatalf("no quote after %q", text)
	return "", ""
}
