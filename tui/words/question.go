package words

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"wf/api"
	"wf/tui/plain"
)

// QuestionLines describes an approval: its question, the outputs of the nodes before it, and the possible answers.
func QuestionLines(a api.Approval) (lines []string) {
	for line := range strings.Lines(plain.Text(a.Text)) {
		lines = append(lines, strings.TrimRight(line, "\n"))
	}
	for _, before := range a.Before {
		lines = append(lines, plain.Line(before.Node)+" put out "+plain.Line(Values(before.Outputs)))
	}
	for _, f := range a.Fields {
		lines = append(lines, "asks for "+plain.Line(Field(f)))
	}
	for _, c := range a.Choices {
		lines = append(lines, Outcome(c))
	}
	return lines
}

// Outcome describes a choice: "case=go leads to ship".
func Outcome(c api.ApprovalChoice) string {
	return "case=" + plain.Line(c.Case) + " leads to " + plain.Line(NameList(c.Leads, 12))
}

// DecidedByItself describes the decision when the time limit of an approval ends, or returns "" if it has no time
// limit.
func DecidedByItself(a api.Approval, now time.Time) string {
	if a.Until == nil {
		return ""
	}
	return fmt.Sprintf("  %s by itself in %s", Decided(a.Default == "approve"), Span(max(0, a.Until.Sub(now))))
}

// Decided returns the word for a decision.
func Decided(approved bool) string {
	if approved {
		return "approved"
	}
	return "rejected"
}

// Field describes a value that an answer may contain: "window (string, required): when; am, pm".
func Field(f api.Param) string {
	kind := f.Type
	if limits := Limits(f); limits != "" {
		kind += ", " + limits
	}
	if f.Required {
		kind += ", required"
	} else if f.Default != nil {
		kind += ", else " + DefaultText(f.Default)
	}
	text := f.Name + " (" + kind + ")"
	if f.Help != "" {
		text += ": " + f.Help
	}
	if len(f.Choices) > 0 {
		text += "; " + Choices(f)
	}
	return text
}

// Values formats values, sorted by name: "a=1 b=x".
func Values(values map[string]any) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		parts = append(parts, name+"="+Quote(Value(values[name])))
	}
	return strings.Join(parts, " ")
}

// Value formats a value as in the environment of a command: texts unchanged, lists and objects as JSON, null as "".
func Value(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		return value
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return fmt.Sprint(value)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Wait describes what a node waits for: "waits for a person", "is tried again in 4.0s".
func Wait(w api.Wait, now time.Time) string {
	in := ""
	if w.Until != nil {
		in = " in " + Span(max(0, w.Until.Sub(now)))
	}
	switch w.Kind {
	case api.WaitApproval:
		return "waits for a person"
	case api.WaitRetry:
		return "is tried again" + in
	case api.WaitPool:
		return "waits for a place in a pool" + textBehind(w.Text)
	case api.WaitPreparation:
		return "waits until this is ready" + textBehind(w.Text)
	}
	if w.Until == nil {
		return "waits"
	}
	return fmt.Sprintf("waits until %s%s", Until(*w.Until, now), " ("+Span(max(0, w.Until.Sub(now)))+")")
}

// textBehind returns ": text", or "" without a text.
func textBehind(text string) string {
	if text == "" {
		return ""
	}
	return ": " + plain.Line(text)
}

// Decision describes a decision: "approved by ann: as agreed".
func Decision(d api.DecisionMade) string {
	text := Decided(d.Approved) + " by " + plain.Line(d.Who()) + textBehind(d.Comment)
	if values := Values(d.Values); values != "" {
		text += "  " + plain.Line(values)
	}
	return text
}

// Unrecorded describes what is missing in the history of a stopped run.
func Unrecorded(r api.StopResult) string {
	text := plain.Line(r.Problem)
	if r.Going {
		text += "; wf tries again until it can, and until then the run counts as active"
	}
	return text
}

// Beginning returns a command, shortened if it is too long to show.
func Beginning(text string) string {
	if len(text) <= maxShownCommand {
		return text
	}
	return strings.ToValidUTF8(text[:maxShownCommand], "") + fmt.Sprintf("… (%d bytes; wf ls --json has all of it)", len(text))
}

// Limits describes the limits of a parameter.
func Limits(p api.Param) string {
	var parts []string
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	if p.Min != nil {
		parts = append(parts, "at least "+number(*p.Min))
	}
	if p.Max != nil {
		parts = append(parts, "at most "+number(*p.Max))
	}
	if p.MinLength != nil {
		parts = append(parts, "at least "+Plural(*p.MinLength, lengthUnit(p)))
	}
	if p.MaxLength != nil {
		parts = append(parts, "at most "+Plural(*p.MaxLength, lengthUnit(p)))
	}
	if p.MustExist {
		parts = append(parts, "must exist")
	}
	if p.Pattern != "" {
		parts = append(parts, "like "+p.Pattern)
	}
	return strings.Join(parts, ", ")
}

// lengthUnit returns the unit of a parameter's length limits.
func lengthUnit(p api.Param) string {
	if p.Type == "list" {
		return "element"
	}
	return "character"
}

// ParamDefault describes the default of a parameter, "-" for none.
func ParamDefault(p api.Param) string {
	if p.DefaultEnv == "" {
		return DefaultText(p.Default)
	}
	text := "$" + p.DefaultEnv
	switch {
	case p.EnvValue != "":
		text += " (now " + p.EnvValue + ")"
	case p.Default != nil:
		text += " (not set), else " + DefaultText(p.Default)
	default:
		text += " (not set)"
	}
	return text
}

// DefaultText formats a default as the user would type it, "-" for none.
func DefaultText(value any) string {
	if value == nil {
		return "-"
	}
	if text, isText := value.(string); isText {
		return text
	}
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(data)
}

// Choices lists the choices of a parameter, "-" for none. If they depend on values that are not given yet, it names
// the command that lists them.
func Choices(p api.Param) string {
	switch n := len(p.Choices); {
	case n > maxChoices:
		return fmt.Sprintf("%s and %d more", strings.Join(p.Choices[:maxChoices], ", "), n-maxChoices)
	case n > 0:
		return strings.Join(p.Choices, ", ")
	case p.ChoicesFrom != "":
		return "from: " + p.ChoicesFrom
	}
	return "-"
}

// maxShownCommand is the maximum number of bytes of a command in a text about something else.
const maxShownCommand = 4000

// maxChoices is the maximum number of listed choices of a parameter.
const maxChoices = 8
