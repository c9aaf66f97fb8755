package api

import "testing"

func TestExitText(t *testing.T) {
	for code, want := range map[int]string{0: "exit 0", 1: "exit 1", 2: "exit 2", 124: "exit 124", 126: "exit 126 (found, but it cannot be executed)",
		127: "exit 127 (command not found)", 128: "exit 128", 130: "exit 130 (SIGINT)", 137: "exit 137 (SIGKILL: perhaps out of memory)",
		139: "exit 139 (SIGSEGV)", 143: "exit 143 (SIGTERM)", 200: "exit 200", 255: "exit 255"} {
		if got := ExitText(code); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
