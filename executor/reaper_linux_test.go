package executor

import (
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"

	"wf/executor/proc"
)

// TestHelloOfADeadRunner checks that zombies stay if the hello of a runner is read after its death: the next runner needs
// them to learn how its commands ended.
func TestHelloOfADeadRunner(t *testing.T) {
	dead := exec.Command("true")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("true")
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	for proc.IsAlive(command.Process.Pid) {
		unix.Waitid(unix.P_PID, command.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
	}
	w := newReaper()
	w.add("").settle(dead.Process.Pid, nil)
	w.reap()
	if err := command.Wait(); err != nil {
		t.Errorf("the zombie of the command: %v", err)
	}
}
