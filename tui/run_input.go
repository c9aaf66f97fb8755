package tui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"wf/api"
	"wf/client"
	"wf/tui/plain"
)

// A ranWith is what a run was started with, for the inspector.
type ranWith struct {
	run  string
	text string // "" = nothing was
}

// explainRun asks once what a run was started with.
func (m *model) explainRun(run string) tea.Cmd {
	if run == "" || m.ranWith.run == run {
		return nil
	}
	m.ranWith = ranWith{run: run}
	return request(m, func(ctx context.Context, ws *client.Workspace) (api.RunDetail, error) {
		d, err := ws.Run(ctx, run)
		if err != nil {
			return api.RunDetail{}, nil // it has been forgotten: then nothing is said of it
		}
		return d, nil
	}, func(m *model, d api.RunDetail) tea.Cmd {
		if d.Run == m.ranWith.run {
			m.ranWith.text = givenText(d)
		}
		return nil
	})
}

// givenText returns the parameters of a run, the part that was run, and the nodes that were not executed.
func givenText(d api.RunDetail) string {
	var lines []string
	if text := outputsText(d.Params); text != "" {
		lines = append(lines, "with "+strings.ReplaceAll(text, "\n", "\nwith "))
	}
	if len(d.Until) > 0 {
		lines = append(lines, "until "+plain.Line(strings.Join(d.Until, ",")))
	}
	if len(d.From) > 0 {
		lines = append(lines, "from "+plain.Line(strings.Join(d.From, ",")))
	}
	for _, mock := range d.Mocks {
		what := fmt.Sprintf("exit:%d", mock.Exit)
		switch {
		case mock.Skip:
			what = "skipped"
		case len(mock.Outputs) > 0:
			what = strings.ReplaceAll(outputsText(mock.Outputs), "\n", ", ")
		}
		lines = append(lines, "not executed: "+plain.Line(mock.Nodes)+" ("+what+")")
	}
	return strings.Join(lines, "\n")
}
