package main

import (
	"github.com/spf13/cobra"

	"wf/cmd/wf/doctor"
)

func newDoctor(e *env) *cobra.Command {
	asJSON, file := false, ""
	cmd := &cobra.Command{
		Use: "doctor [FILE]",
		Long: `Doctor prints every setting and where its value comes from. Then it looks for problems that
make runs fail or end early: folders, disks, limits, the daemon, the system. Each problem is
printed with a remedy. Doctor changes nothing and starts nothing here. It asks the machines of wf
host, without questions to you, and waits 10 seconds for them. Exit status 1 means that something
needs attention.`,
		Example: `  wf doctor
  wf doctor --json | jq -r '.findings[] | select(.level != "ok") | .message'`,
		Args: nargs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := fileArg(cmd, &file, args); err != nil {
				return err
			}
			if file == "" {
				file = defaultWorkfile
			}
			return doctor.Run(cmd.Context(), &e.Console, doctor.Options{Workfile: e.Abs(file), JSON: asJSON, Version: version(), Reach: e.reach, Host: hostChecker(e)})
		},
	}
	fileFlag(cmd, &file, "f")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
