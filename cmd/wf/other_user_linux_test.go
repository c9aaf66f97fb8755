package main

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"wf/api"
	"wf/cmd/wf/exit"
)

// otherUser is another user, for tests that run as root.
const otherUser = 65534

// openFolder makes a folder that other users can enter.
func openFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "wf")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// sharedProgram returns a program that two users can execute, and a home folder.
func sharedProgram(t *testing.T) (program, home string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can be two users")
	}
	if testing.Short() {
		t.Skip("starts daemons")
	}
	home = openFolder(t)
	program = filepath.Join(home, "wf")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("build wf: %v\n%s", err, out)
	}
	return program, home
}

// as returns a command of a user, with the daemon's folders below dir.
func as(uid uint32, dir, program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + dir, "PATH=/usr/bin:/bin", "WF_RUNTIME_DIR=" + filepath.Join(dir, "run"), "WF_STATE_DIR=" + filepath.Join(dir, "state")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid, NoSetGroups: true}}
	return cmd
}

// TestOtherUser checks that a daemon serves only its own user, and not root. A command of another user is refused because
// of the owner of the folders; a direct connection is refused by the daemon.
func TestOtherUser(t *testing.T) {
	program, home := sharedProgram(t)
	for name, uids := range map[string][2]uint32{"another user": {0, otherUser}, "root": {otherUser, 0}} {
		t.Run(name, func(t *testing.T) {
			owner, guest := uids[0], uids[1]
			dir := filepath.Join(home, strings.ReplaceAll(name, " ", "-"))
			if err := errors.Join(os.Mkdir(dir, 0o755), os.Chown(dir, int(owner), int(owner))); err != nil {
				t.Fatal(err)
			}
			if out, err := as(owner, dir, program, "server", "start", "--idle-timeout", "0").CombinedOutput(); err != nil {
				t.Fatalf("start: %v\n%s", err, out)
			}
			t.Cleanup(func() {
				if out, err := as(owner, dir, program, "server", "stop").CombinedOutput(); err != nil {
					t.Errorf("stop: %v\n%s", err, out)
				}
			})
			out, err := as(guest, dir, program, "server", "status").CombinedOutput()
			if statusOf(err) != exit.Daemon || !bytes.Contains(out, []byte("belongs to user")) {
				t.Errorf("wf status of another user: %v\n%s", err, out)
			}
			// Even if the modes of the folder and the socket allow access.
			run := filepath.Join(dir, "run")
			socket := filepath.Join(run, api.FileSocket)
			if err := errors.Join(os.Chmod(run, 0o777), os.Chmod(socket, 0o777)); err != nil {
				t.Fatal(err)
			}
			if answer := askAs(t, guest, socket); answer != "" {
				t.Errorf("another user gets an answer: %q", answer)
			}
			if own := askAs(t, owner, socket); !strings.Contains(own, "200 OK") {
				t.Errorf("the owner is answered: %q", own)
			}
			if err := os.Chmod(run, 0o700); err != nil {
				t.Fatal(err)
			}
			log, _ := os.ReadFile(filepath.Join(dir, "state", "daemon.log"))
			if !bytes.Contains(log, []byte("may not use the daemon of user")) {
				t.Errorf("the log does not mention the other user:\n%s", log)
			}
		})
	}
}

// askAs connects to a socket as a user and returns the answer to a request.
func askAs(t *testing.T, uid uint32, socket string) (answer string) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		// The kernel checks the user of the thread. The thread is never unlocked, so it ends with the goroutine.
		runtime.LockOSThread()
		if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, uintptr(uid), uintptr(uid), uintptr(uid)); errno != 0 {
			t.Errorf("become user %d: %v", uid, errno)
			return
		}
		conn, err := net.Dial("unix", socket)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		io.WriteString(conn, "GET "+api.GetVersion.Path+" HTTP/1.1\r\nHost: "+api.SocketHost+"\r\nConnection: close\r\n\r\n")
		data, _ := io.ReadAll(conn) // a reset counts as no answer
		answer = string(data)
	}()
	<-done
	return answer
}
