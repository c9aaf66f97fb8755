package service

import (
	"path/filepath"
	"strings"
)

// unit is the name of the service.
const unit = "wf.service"

// Systemd returns the service manager of a user under Linux. config is the folder of the user's configuration
// ($XDG_CONFIG_HOME, or ~/.config).
func Systemd(config string) *Manager {
	user := func(args ...string) []string { return append([]string{"--user"}, args...) }
	return &Manager{
		Name: "systemd", Program: "systemctl", Path: filepath.Join(config, "systemd", "user", unit), text: unitText, argument: unitArgument, variable: quoteUnit,
		install: [][]string{user("daemon-reload"), user("enable", "--quiet", unit), user("restart", unit)},
		remove:  [][]string{user("disable", "--quiet", "--now", unit)},
		forget:  [][]string{user("daemon-reload")},
		start:   user("start", unit),
		probe:   user("show-environment"),
		missing: "start the daemon yourself: wf server start --idle-timeout 0, for example from a line @reboot of crontab -e",
	}
}

// unitText is the unit. With KillMode=process, runners outlive their daemon: they are children of other processes in the same
// cgroup. Exit status 7 means that another daemon serves this user. A daemon that wf server stop has ended stays away until a
// command needs it.
func unitText(d Daemon) string {
	var b strings.Builder
	b.WriteString("# " + mark + `
[Unit]
Description=wf, which runs workfiles

[Service]
Type=notify
KillMode=process
Restart=on-failure
RestartSec=1
RestartPreventExitStatus=7
WorkingDirectory=/
`)
	for _, v := range d.Env {
		b.WriteString("Environment=" + quoteUnit(v) + "\n")
	}
	b.WriteString("ExecStart=")
	for i, arg := range d.Argv {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(unitArgument(arg))
	}
	b.WriteString("\n\n[Install]\nWantedBy=default.target\n")
	return b.String()
}

// quoteUnit quotes a word for a unit: see systemd.syntax(7), and systemd.unit(5) about %.
func quoteUnit(word string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "%", "%%").Replace(word) + `"`
}

// unitArgument quotes a word of ExecStart, in which systemd also expands variables: see systemd.service(5).
func unitArgument(word string) string { return strings.ReplaceAll(quoteUnit(word), "$", "$$") }
