package settings

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/graph/pattern"
	"wf/remote"
)

// hostsFile has the machines of wf host, beside the user's configuration.
const hostsFile = "hosts.toml"

// LocalHost is the name of this machine.
const LocalHost = "local"

// Hosts are the machines that have names.
type Hosts struct {
	Use   string            `toml:"use,omitempty" comment:"The machine of all commands without --host; written by wf host."`
	Hosts map[string]string `toml:"hosts,omitempty"` // addresses by name
}

// Names returns the names in alphabetical order.
func (h Hosts) Names() []string { return slices.Sorted(maps.Keys(h.Hosts)) }

// hostName is the form of the name of a machine.
var hostName = pattern.Of(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// CheckHostName returns an error if a machine cannot have this name.
func CheckHostName(name string) error {
	if !hostName.Get().MatchString(name) || name == LocalHost || IsListenAddress(name) {
		return exit.Usage("%q cannot be the name of a machine: use letters, digits, dots and dashes; %s is this machine", name, LocalHost)
	}
	return nil
}

// IsListenAddress reports whether a value of the setting host is the address of the HTTP server of the daemon, which it was
// before it could be a machine.
func IsListenAddress(text string) bool {
	address, err := netip.ParseAddr(text)
	return text == "localhost" || err == nil && address.IsLoopback()
}

// hostsPath returns the path of the file of machines, "" if HOME is not set.
func hostsPath(c *console.Console) string {
	if path := UserFile(c); path != "" {
		return filepath.Join(filepath.Dir(path), hostsFile)
	}
	return ""
}

// ReadHosts reads the machines that have names.
func ReadHosts(c *console.Console) (Hosts, error) {
	var h Hosts
	path := hostsPath(c)
	if path == "" {
		return h, nil
	}
	f, err := openSmall(path)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	var data []byte
	if err == nil {
		defer f.Close()
		if problem := TrustOf(c, c.Get("WF_TRUST")).problemOf(path, f, false); problem != "" {
			return h, distrusted(c, path, problem)
		}
		data, err = readSmall(f)
	}
	if err == nil {
		err = toml.Unmarshal(data, &h)
	}
	if err != nil {
		return h, &exit.Failure{Status: exit.BadUsage, What: "cannot read the names of machines in " + path, Why: exit.Obstacle(err)}
	}
	return h, nil
}

// WriteHosts replaces the file of machines.
func WriteHosts(c *console.Console, h Hosts) error {
	path := hostsPath(c)
	if path == "" {
		return &exit.Failure{Status: exit.Daemon, What: "no folder for the names of machines: HOME is not set", Fix: "export HOME"}
	}
	var text bytes.Buffer
	err := toml.NewEncoder(&text).Encode(h)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err == nil {
		err = replaceFile(path, text.Bytes())
	}
	if err != nil {
		return &exit.Failure{Status: exit.Daemon, What: "cannot write " + path, Why: exit.Obstacle(err)}
	}
	return nil
}

// replaceFile writes a file in one step.
func replaceFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".hosts-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails after the rename
	_, err = f.Write(data)
	if err = cmp.Or(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// HostOf returns the value that selects the machine of a command without --host, and where it comes from: WF_HOST, wf host
// use, or host in the user's configuration. It returns "" for this machine.
func HostOf(c *console.Console, h Hosts) (value, where string, err error) {
	if value = c.Get("WF_HOST"); value != "" && !IsListenAddress(value) {
		return localIsEmpty(value), "WF_HOST", nil
	}
	if h.Use != "" {
		return localIsEmpty(h.Use), hostsPath(c), nil
	}
	path := UserFile(c)
	if path == "" {
		return "", "", nil
	}
	values, err := readConfig(c, path, true, TrustOf(c, c.Get("WF_TRUST")))
	if v := values["host"]; v.Text != "" && !IsListenAddress(v.Text) {
		return localIsEmpty(v.Text), v.Where, err
	}
	return "", "", nil // a broken configuration is reported by the commands that need it
}

func localIsEmpty(value string) string {
	if value == LocalHost {
		return ""
	}
	return value
}

// Resolve returns the machine with a name or an address.
func (h Hosts) Resolve(value, where string) (remote.Destination, error) {
	if address, known := h.Hosts[value]; known {
		value = address
	}
	if !strings.Contains(value, "://") {
		f := &exit.Failure{Status: exit.BadUsage, What: "no machine has the name " + value, Where: where,
			Why: exit.DidYouMean(value, h.Names()), Fix: "wf host add NAME ssh://user@machine, or give the address: --host ssh://machine"}
		return remote.Destination{}, f
	}
	d, err := remote.ParseDestination(value)
	if err != nil {
		return d, &exit.Failure{Status: exit.BadUsage, What: err.Error(), Where: where, Fix: "wf help hosts"}
	}
	return d, nil
}
