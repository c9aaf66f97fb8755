package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/tui/plain"
	"wf/tui/words"
)

// shownCommand returns a command for the line of its step, or "" if a verbose plan prints its lines below.
func shownCommand(command string, verbose, ascii bool) string {
	if verbose && strings.Contains(strings.TrimSpace(command), "\n") {
		return ""
	}
	return plain.Command(command, ascii)
}

// Plan prints a plan as text. If the width of the terminal is known, commands are cut; verbose prints complete
// command lines.
func Plan(w io.Writer, p console.Paint, plan api.Plan, verbose bool, width int) error {
	var b strings.Builder
	fmt.Fprintln(&b, planTitle(plan))
	digits := len(strconv.Itoa(len(plan.Steps)))
	longest, whys := 0, 0
	for _, step := range plan.Steps {
		longest, whys = max(longest, console.Columns(plain.Line(step.Name))), max(whys, console.Columns(plain.Line(step.Why)))
	}
	for i, step := range plan.Steps {
		command, room := step.Command, 0
		if step.SubFlow != "" {
			command = step.SubFlow
		} else if verbose {
			command = step.Line
		} else if width > 0 {
			room = max(20, width-digits-longest-whys-8) // eight blanks are between
		}
		line := fmt.Sprintf("  %*d  %s  %s  %s", digits, i+1, pad(plain.Line(step.Name), longest), pad(plain.Line(step.Why), whys),
			p.Clip(shownCommand(command, verbose, p.ASCII), room))
		fmt.Fprintln(&b, strings.TrimRight(line, " "))
		if verbose && strings.Contains(strings.TrimSpace(command), "\n") {
			fmt.Fprintln(&b, strings.TrimRight(plain.Text(command), " \t\r\n"))
		}
		if verbose && len(step.After) > 0 {
			fmt.Fprintf(&b, "  %*s  after %s\n", digits, "", words.NameList(step.After, 6))
		}
		if step.Approve != "" {
			fmt.Fprintf(&b, "  %*s  asks a person: %s\n", digits, "", p.Clip(plain.Line(step.Approve), max(0, width-digits-19)))
		}
		if step.Executor != "" && step.Mock == nil {
			fmt.Fprintf(&b, "  %*s  executor: %s\n", digits, "", plain.Line(step.Executor))
		}
		if len(step.Surroundings) > 0 && step.Mock == nil {
			fmt.Fprintf(&b, "  %*s  %s\n", digits, "", p.Clip(plain.Line(strings.Join(step.Surroundings, ", ")), max(0, width-digits-4)))
		}
		if step.Files != "" && step.Mock == nil {
			fmt.Fprintf(&b, "  %*s  files: %s\n", digits, "", plain.Line(step.Files))
		}
		if step.Mock != nil {
			fmt.Fprintf(&b, "  %*s  not executed: %s\n", digits, "", plain.Line(MockText(*step.Mock)))
		}
		if len(step.Ignored) > 0 {
			fmt.Fprintf(&b, "  %*s  does not wait for %s (not selected)\n", digits, "", words.NameList(step.Ignored, 6))
		}
	}
	if len(plan.Beyond) > 0 {
		fmt.Fprintf(&b, "next, but not selected: %s\n", words.NameList(plan.Beyond, 6))
	}
	if plan.Wrapper != "" {
		fmt.Fprintf(&b, "wrapper: %s\n", plain.Line(plan.Wrapper))
	}
	for _, h := range plan.Hooks {
		fmt.Fprintf(&b, "%s of %s: %s\n", h.Event, plain.Line(h.From), p.Clip(plain.Command(h.Command, p.ASCII), max(0, width-len(h.Event)-console.Columns(h.From)-6)))
	}
	for _, note := range plan.Notes {
		fmt.Fprintf(&b, "note: %s\n", plain.Line(note))
	}
	fmt.Fprintln(&b, "nothing was run.")
	_, err := io.WriteString(w, b.String())
	return err
}

// pad appends blanks to text up to width columns.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-console.Columns(text)))
}

// planTitle says how many nodes of the workfile would run.
func planTitle(plan api.Plan) string {
	jobs := words.Jobs(plan.Jobs, plan.NoLimit)
	if jobs != "" {
		jobs = " (" + jobs + ")"
	}
	title := fmt.Sprintf("would run %d of %s%s", plan.Nodes, words.Plural(plan.Total, "node"), jobs)
	if plan.Mode == api.ModeResume {
		title = fmt.Sprintf("would resume%s: %d of %s%s, keeping %d", words.RunName(plan.Resumes), plan.Nodes, words.Plural(plan.Total, "node"), jobs, plan.Kept)
		if len(plan.Steps) == 0 {
			return "nothing to resume: no node has failed"
		}
	}
	if plan.Conditional > 0 {
		title += fmt.Sprintf(", and up to %d more", plan.Conditional)
	}
	if plan.UpToDate > 0 {
		title += fmt.Sprintf(", %d of them up to date", plan.UpToDate)
	}
	if len(plan.Steps) == 0 {
		return title
	}
	return title + ", in this order:"
}
