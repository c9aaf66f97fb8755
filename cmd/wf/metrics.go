package main

import (
	"bytes"
	"context"
	"io"

	"github.com/spf13/cobra"

	"wf/cmd/wf/exit"
	"wf/cmd/wf/settings"
	"wf/daemon"
)

func newMetrics(e *env) *cobra.Command {
	openMetrics := false
	cmd := &cobra.Command{
		Use: "metrics",
		Long: `Metrics prints what Prometheus and compatible programs read: how many runs of each workfile
succeeded and failed, how long they took, when the latest success was, and what runs and waits at
this moment. docs/monitoring.md lists the metrics.

Without a daemon it prints the counts of runs, which are kept in the state folder. A daemon serves
the same text at /metrics of its port, for its token or the one in --metrics-token-file, and keeps
it in the file --metrics-file for the textfile collector of node_exporter.`,
		Example: `  wf metrics
  wf metrics | promtool check metrics
  wf server start --idle-timeout 0 --metrics-file /var/lib/node_exporter/wf.prom`,
		Args: nargs(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return printMetrics(cmd.Context(), e, openMetrics) },
	}
	cmd.Flags().BoolVar(&openMetrics, "openmetrics", false, "print OpenMetrics, which has times of creation, instead of the text format of Prometheus")
	return cmd
}

func printMetrics(ctx context.Context, e *env, openMetrics bool) error {
	text, err := metricsText(ctx, e, openMetrics)
	if err != nil {
		return err
	}
	_, err = io.Copy(e.Stdout, text)
	return err
}

// metricsText asks the daemon if there is one, and otherwise reads the counts.
func metricsText(ctx context.Context, e *env, openMetrics bool) (io.Reader, error) {
	c, running, err := e.reach(ctx)
	if err != nil {
		return nil, err
	}
	if running {
		defer c.Close()
		answer, err := c.Metrics(ctx, openMetrics)
		if err != nil {
			return nil, err
		}
		defer answer.Close()
		text, err := io.ReadAll(answer) // a text that breaks off must not look complete
		return bytes.NewReader(text), err
	}
	text, err := daemon.Metrics(settings.FoldersOf(&e.Console).State, openMetrics)
	if err != nil {
		return nil, &exit.Failure{Status: exit.Daemon, What: "the counts of runs cannot be read", Why: err.Error(), Fix: "the next run begins them again"}
	}
	return bytes.NewReader(text), nil
}
