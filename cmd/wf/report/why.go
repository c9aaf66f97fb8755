package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"wf/api"
	"wf/cmd/wf/console"
	"wf/tui/plain"
	"wf/tui/words"
)

// printCommand writes a command so that it can be copied: a command of several lines is below its title, without
// indentation.
func printCommand(w io.Writer, title, command string) error {
	command = strings.TrimRight(plain.Text(command), " \t\r\n")
	between := " "
	if strings.Contains(command, "\n") {
		between = "\n"
	}
	_, err := fmt.Fprintf(w, "%s%s%s\n", title, between, command)
	return err
}

// Why prints the explanation. file is the --file flag for a command in it.
func Why(w io.Writer, p console.Paint, why api.Why, now time.Time, file string) error {
	head := fmt.Sprintf("%s %s  %s", p.Glyph(why.Node.Counted()), plain.Line(why.Node.Name), stateDetail(why.Node, now))
	if why.Run != "" {
		head += "  in run " + why.Run
	}
	fmt.Fprintln(w, head)
	for _, line := range why.Text {
		fmt.Fprintf(w, "  %s\n", plain.Line(line))
	}
	for _, text := range why.Node.Surroundings {
		name, value, _ := strings.Cut(text, "=")
		fmt.Fprintf(w, "  %s: %s\n", name, plain.Line(value))
	}
	err := printCommand(w, "  command:", words.Beginning(why.Node.Command))
	if err == nil && why.Run != "" && why.Node.Executions > 0 && why.Node.Run == why.Run {
		_, err = fmt.Fprintf(w, "  log: wf logs %s%s\n", words.Quote(why.Run+"/"+why.Node.Name), file)
	}
	return err
}
