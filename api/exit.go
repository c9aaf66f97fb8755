package api

import "fmt"

// ExitMeaning returns the meaning of an exit code by the conventions of shells, which most programs follow, or "" if it has
// no such meaning.
func ExitMeaning(code int) string {
	switch code {
	case 126:
		return "found, but it cannot be executed"
	case 127:
		return "command not found"
	case 128 + 9:
		return "SIGKILL: perhaps out of memory"
	}
	if name := signals[code-128]; name != "" {
		return name
	}
	return ""
}

// signals contains the names of the signals that usually end commands. Their numbers are the same on all supported systems.
var signals = map[int]string{1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 6: "SIGABRT", 8: "SIGFPE",
	11: "SIGSEGV", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM"}

// ExitText returns an exit code as text for people: "exit 2", "exit 127 (command not found)".
func ExitText(code int) string {
	if meaning := ExitMeaning(code); meaning != "" {
		return fmt.Sprintf("exit %d (%s)", code, meaning)
	}
	return fmt.Sprintf("exit %d", code)
}
