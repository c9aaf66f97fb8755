package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/cmd/wf/console"
)

func newVersion(e *env) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:  "version",
		Args: nargs(0, 0),
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return console.WriteJSON(e.Stdout, versionReport{api.SchemaVersion, version(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH})
			}
			return printVersion(e)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// versionReport is `wf version --json`.
type versionReport struct {
	Schema  string `json:"schema"`
	Version string `json:"version"`
	Go      string `json:"go"`
	System  string `json:"system"`
}

func printVersion(e *env) error {
	_, err := fmt.Fprintf(e.Stdout, "wf %s (%s, %s/%s)\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// version returns the version that the toolchain put into the binary: a tag, a commit, or "(devel)". Client and daemon
// compare their versions, so that an old daemon does not outlive an upgrade.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
