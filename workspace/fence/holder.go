package fence

import (
	"encoding/json"
	"os"
	"strings"
	"sync"

	"wf/executor/ownfile"
	"wf/executor/proc"
)

// A Machine identifies a machine and the time since its boot.
type Machine struct {
	Host string `json:"host"`              // its name; "" if it has none
	ID   string `json:"machine,omitempty"` // of the installation; "" if there is none that outlives a boot
	Boot string `json:"boot,omitempty"`    // "" if unknown
}

// This returns the machine of this process.
var This = sync.OnceValue(func() Machine {
	m := Machine{ID: machineID("/etc/machine-id", "/run/machine-id")}
	m.Host, _ = os.Hostname() // "" if the machine has no name
	m.Boot, _ = proc.BootID()
	return m
})

// machineID reads the id of the installation. Systems without a disk of their own make a new one at each boot, in the file
// transient: that one does not identify the machine.
func machineID(path, transient string) string {
	if _, err := os.Lstat(transient); err == nil {
		return ""
	}
	text, err := os.ReadFile(path)
	if id := strings.TrimSpace(string(text)); err == nil && len(id) == 32 {
		return id
	}
	return ""
}

// A Holder is a daemon that has a fence.
type Holder struct {
	Machine
	PID     int    `json:"pid"`
	Runtime string `json:"runtime"` // its runtime folder
}

// Elsewhere reports whether h may be alive on another machine than own, so that a lock that own has got does not prove the
// end of h. Processes of one boot share a kernel, whatever their containers are called, and its locks decide. A machine that
// has booted since has none of its former processes. Holders of versions without a boot id released nothing and say nothing.
func (h Holder) Elsewhere(own Holder) bool {
	switch {
	case h.Boot == "" || h.Boot == own.Boot:
		return false
	case h.Host != own.Host:
		return true
	}
	return h.ID != "" && own.ID != "" && h.ID != own.ID
}

func (h Holder) encode() []byte {
	data, err := json.Marshal(h)
	if err != nil {
		panic("internal error: a holder cannot be encoded: " + err.Error())
	}
	return append(data, '\n')
}

// maxHolder limits the size of a file that names a holder, in bytes.
const maxHolder = 8 << 10

// readHolder reads the holder in the open file of a fence. signed reports whether the file has any content. A damaged file
// gives the zero Holder.
func readHolder(file *os.File) (h Holder, signed bool) {
	data := make([]byte, maxHolder)
	n, _ := file.ReadAt(data, 0)
	if json.Unmarshal(data[:n], &h) != nil {
		h = Holder{}
	}
	return h, n > 0
}

// readOwner reads the file of an owner. A damaged file gives the zero Holder.
func readOwner(path string) (h Holder, err error) {
	data, err := ownfile.Read(path, maxHolder)
	if err != nil || json.Unmarshal(data, &h) != nil {
		h = Holder{}
	}
	return h, err
}

// HeldElsewhere returns the holder on another machine than own that a fence names, and whether there is one. It takes no lock
// and changes nothing, so the answer may be old when it returns.
func HeldElsewhere(path string, own Holder) (h Holder, elsewhere bool) {
	for _, name := range []string{path, path + ownerSuffix} {
		if h, err := readOwner(name); err == nil && h.Elsewhere(own) {
			return h, true
		}
	}
	return Holder{}, false
}
