// Command clocks starts a virtual machine and lets wf start runs in it by triggers, while the clock of the machine is set by an
// hour, the machine sleeps, and the daemon is killed just after instants. It fails unless each of the instants was decided once,
// as its policy says, and no instant had two runs. Nothing is simulated: clock, sleep and processes are those of a Linux kernel.
//
// It needs qemu-system-x86_64, a kernel (Debian: package linux-image-amd64) and a busybox that needs no libraries
// (busybox-static). The same program is the first process of the machine.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A Plan is what the machine is told to do.
type Plan struct {
	Seed     uint64
	Instants int // how many instants the clock must pass
	Events   int // how many events there must be
}

// planFile is the file in the machine with the plan, and verdict the beginning of its last line.
const (
	planFile = "/plan"
	verdict  = "verdict: "
)

func main() {
	if os.Getpid() == 1 {
		beInit()
	}
	if len(os.Args) > 1 && os.Args[1] == driveArgument {
		os.Exit(drive())
	}
	var p Plan
	kernel := flag.String("kernel", "/vmlinuz", "the kernel")
	busybox := flag.String("busybox", "/bin/busybox", "a busybox that needs no libraries")
	qemu := flag.String("qemu", "qemu-system-x86_64 -accel tcg,thread=multi -cpu max", "the emulator, and its options; tcg needs no rights")
	limit := flag.Duration("limit", time.Hour, "the most that it may take")
	flag.Uint64Var(&p.Seed, "seed", 1, "what happens, and in which order; the moments differ each time")
	flag.IntVar(&p.Instants, "instants", 1000, "the least number of instants of each policy")
	flag.IntVar(&p.Events, "events", 60, "the least number of events: kills, sleeps, settings of the clock")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithTimeout(ctx, *limit)
	err := run(ctx, p, *kernel, *busybox, strings.Fields(*qemu))
	cancel()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "clocks:", err)
		os.Exit(1)
	}
}

// run builds the machine and waits for its verdict.
func run(ctx context.Context, p Plan, kernel, busybox string, qemu []string) error {
	dir, err := os.MkdirTemp("", "wf")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	image := filepath.Join(dir, "image")
	if err := writeImage(ctx, image, dir, p, busybox); err != nil {
		return err
	}
	args := append(qemu[1:], "-nodefaults", "-serial", "stdio", "-display", "none", "-m", "1024", "-smp", "2", "-no-reboot",
		"-kernel", kernel, "-initrd", image, "-append", "console=ttyS0 quiet panic=-1 no_console_suspend rdinit=/init")
	cmd := exec.CommandContext(ctx, qemu[0], args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	last := ""
	for lines := bufio.NewScanner(out); lines.Scan(); {
		line := strings.TrimRight(lines.Text(), "\r")
		fmt.Println(line)
		if _, text, found := strings.Cut(line, verdict); found {
			last = text
		}
	}
	switch err := cmd.Wait(); {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return err
	case last != "kept":
		return errors.New("the machine has found that a promise was broken, or has ended before")
	}
	return nil
}

// writeImage writes what the kernel unpacks as its root: this program, wf, busybox and the plan.
func writeImage(ctx context.Context, path, dir string, p Plan, busybox string) error {
	files := map[string][]byte{}
	for name, pkg := range map[string]string{"init": "./bench/clocks", "bin/wf": "./cmd/wf"} {
		built := filepath.Join(dir, filepath.Base(name))
		cmd := exec.CommandContext(ctx, "go", "build", "-o", built, pkg)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("build: %w: %s", err, out)
		}
		if files[name], err = os.ReadFile(built); err != nil {
			return err
		}
	}
	data, err := os.ReadFile(busybox)
	if err != nil {
		return err
	}
	if bytes.Contains(data, []byte("/ld-linux")) {
		return fmt.Errorf("%s needs libraries: install busybox-static", busybox)
	}
	for _, name := range []string{"sh", "echo", "true"} {
		files["bin/"+name] = data
	}
	if files[strings.TrimPrefix(planFile, "/")], err = json.Marshal(p); err != nil {
		return err
	}
	return os.WriteFile(path, archive(files), 0o600)
}
