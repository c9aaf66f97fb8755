package notify

import (
	"slices"
	"strings"

	"wf/api"
)

// A Message is a notification with its destination.
type Message struct {
	Notification api.Notification `json:"notification"`
	To           string           `json:"to"` // a Destination
	// Env are variables of the run for a command, Dir the folder of its workfile.
	Env []string `json:"env,omitempty"`
	Dir string   `json:"dir,omitempty"`
}

// ID returns the name of the message.
func (m *Message) ID() string { return m.Notification.ID }

// kept are the variables of a run that its notifications get: what programs need to find their files, their language and the
// desktop. Others may be secret, and a message stays on the disk until it is sent.
var kept = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "XDG_CONFIG_HOME",
	"XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"}

// mostVariable is the longest variable that is kept, in bytes.
const mostVariable = 8 << 10

// Environment returns the variables of env that a message keeps.
func Environment(env []string) (list []string) {
	for _, v := range env {
		key, _, _ := strings.Cut(v, "=")
		if slices.Contains(kept, key) && len(v) <= mostVariable {
			list = append(list, v)
		}
	}
	return list
}
