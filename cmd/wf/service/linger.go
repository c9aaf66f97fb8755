package service

import (
	"os"
	"path/filepath"
)

// EndsAtLogout reports whether the services of a user run only while the user is logged in. It returns false without systemd.
// root is "/".
func EndsAtLogout(root, user string) bool {
	if _, err := os.Stat(filepath.Join(root, "run/systemd/system")); err != nil {
		return false
	}
	_, err := os.Stat(filepath.Join(root, "var/lib/systemd/linger", user))
	return err != nil
}

// LingerAdvice is what a user can do about EndsAtLogout.
const LingerAdvice = "loginctl enable-linger"
