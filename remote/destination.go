package remote

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode"
)

// A Destination is a machine that ssh reaches, and a folder there.
type Destination struct {
	User string // "" lets ssh choose
	Host string // a name or an address, or an alias of the configuration of ssh
	Port int    // 0 lets ssh choose
	Dir  string // where commands work: absolute, or relative to the home folder, which "" is
}

// ParseDestination reads ssh://[user@]machine[:port][/folder]. A folder that begins with /~/ is below the home folder.
func ParseDestination(text string) (Destination, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "ssh" || u.Opaque != "":
		return Destination{}, fmt.Errorf("%q is not an address like ssh://user@machine:22", text)
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return Destination{}, fmt.Errorf("%q: an address has no ? and no #", text)
	}
	d := Destination{Host: u.Hostname()}
	if u.User != nil {
		if _, has := u.User.Password(); has {
			return Destination{}, fmt.Errorf("the address of %s contains a password: ssh asks for it, or use a key", d.Host)
		}
		d.User = u.User.Username()
	}
	if port := u.Port(); port != "" {
		if d.Port, err = strconv.Atoi(port); err != nil || d.Port < 1 || d.Port > 65535 {
			return Destination{}, fmt.Errorf("%q: the port must be from 1 to 65535", text)
		}
	}
	if d.Host == "" {
		return Destination{}, fmt.Errorf("%q names no machine", text)
	}
	for _, word := range []string{d.Host, d.User} { // ssh must not take them for options, nor a shell for commands
		if strings.HasPrefix(word, "-") || strings.ContainsFunc(word, suspicious) {
			return Destination{}, fmt.Errorf("%q is not a name of a machine or user", word)
		}
	}
	d.Dir = strings.TrimSuffix(u.Path, "/")
	if rest, home := strings.CutPrefix(d.Dir+"/", "/~/"); home {
		d.Dir = strings.TrimSuffix(rest, "/")
	} else if u.Path == "/" {
		d.Dir = ""
	}
	if strings.ContainsRune(d.Dir, 0) {
		return Destination{}, fmt.Errorf("%q: the folder contains a NUL", text)
	}
	return d, nil
}

// suspicious reports whether r has a meaning for a shell, which a ProxyCommand may give the name to, or is invisible.
func suspicious(r rune) bool {
	return strings.ContainsRune("\"'`$\\;&|<>(){}*?!#~ ", r) || !unicode.IsPrint(r)
}

// Machine returns the address without the folder: connections are kept for a machine.
func (d Destination) Machine() string {
	d.Dir = ""
	return d.String()
}

// String returns the address.
func (d Destination) String() string {
	u := url.URL{Scheme: "ssh", Host: d.Host}
	if strings.Contains(d.Host, ":") {
		u.Host = "[" + d.Host + "]"
	}
	if d.User != "" {
		u.User = url.User(d.User)
	}
	if d.Port != 0 {
		u.Host += ":" + strconv.Itoa(d.Port)
	}
	if u.Path = d.Dir; d.Dir != "" && d.Dir[0] != '/' {
		u.Path = "/~/" + d.Dir
	}
	return u.String()
}
