package proc

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Surroundings returns what other processes can change of this process and what its children inherit, as one text.
func Surroundings() (string, error) {
	nice, err := unix.Getpriority(unix.PRIO_PROCESS, os.Getpid())
	return fmt.Sprint(nice), err
}
