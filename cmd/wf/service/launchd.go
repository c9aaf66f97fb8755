package service

import (
	"encoding/xml"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// label is the name of the agent.
const label = "wf.daemon"

// Launchd returns the service manager of a user under macOS.
func Launchd(home string, uid int) *Manager {
	domain := "gui/" + strconv.Itoa(uid)
	path := filepath.Join(home, "Library", "LaunchAgents", label+".plist")
	return &Manager{
		Name: "launchd", Program: "launchctl", Path: path, text: agentText, argument: argumentElement, variable: variableElement,
		replace: [][]string{{"bootout", domain + "/" + label}},
		install: [][]string{{"bootstrap", domain, path}},
		remove:  [][]string{{"bootout", domain + "/" + label}},
		probe:   []string{"print", domain},
		missing: "log in on its screen, or start the daemon yourself: wf server start --idle-timeout 0",
	}
}

// agentText is the agent. With AbandonProcessGroup, runners outlive their daemon. It is started again unless it ended in order.
func agentText(d Daemon) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- %s -->
<plist version="1.0">
<dict>
	<key>Label</key><string>%s</string>
	<key>RunAtLoad</key><true/>
	<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
	<key>AbandonProcessGroup</key><true/>
	<key>WorkingDirectory</key><string>/</string>
	<key>ProgramArguments</key>
	<array>
`, mark, label)
	for _, arg := range d.Argv {
		b.WriteString("\t\t" + argumentElement(arg) + "\n")
	}
	b.WriteString("\t</array>\n\t<key>EnvironmentVariables</key>\n\t<dict>\n")
	for _, v := range d.Env {
		b.WriteString("\t\t" + variableElement(v) + "\n")
	}
	b.WriteString("\t</dict>\n</dict>\n</plist>\n")
	return b.String()
}

func argumentElement(word string) string { return "<string>" + escapeXML(word) + "</string>" }

func variableElement(variable string) string {
	name, value, _ := strings.Cut(variable, "=")
	return "<key>" + escapeXML(name) + "</key>" + argumentElement(value)
}

func escapeXML(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder never fails
	return b.String()
}
