package proc

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Surroundings returns what other processes can change of this process and what its children inherit, as one text: its
// control groups, resource limits, priority for the scheduler and for the memory killer, and processors.
func Surroundings() (string, error) {
	var b strings.Builder
	for _, name := range []string{"cgroup", "limits", "oom_score_adj"} {
		text, err := os.ReadFile("/proc/self/" + name)
		if err != nil {
			return "", err
		}
		b.Write(text)
	}
	nice, _ := unix.Getpriority(unix.PRIO_PROCESS, os.Getpid())
	policy, _, _ := unix.Syscall(unix.SYS_SCHED_GETSCHEDULER, uintptr(os.Getpid()), 0, 0)
	var cpus unix.CPUSet
	_ = unix.SchedGetaffinity(os.Getpid(), &cpus)
	fmt.Fprint(&b, nice, policy, cpus)
	return b.String(), nil
}
