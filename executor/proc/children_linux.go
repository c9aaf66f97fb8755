package proc

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// A ChildList reads the children of this process. Orphans are given to the main thread, so its
// list holds all of them beside the children it forked itself.
type ChildList struct{ fd int }

// OpenChildList fails on kernels without CONFIG_PROC_CHILDREN; a nil list then knows nothing.
func OpenChildList() *ChildList {
	fd, err := unix.Open(fmt.Sprintf("/proc/self/task/%d/children", os.Getpid()), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	return &ChildList{fd: fd}
}

// Close gives the descriptor back.
func (l *ChildList) Close() {
	if l != nil {
		unix.Close(l.fd)
	}
}

// HasOther reports whether there is a child that known does not know. Where it cannot tell it says so.
func (l *ChildList) HasOther(known func(pid int) bool) bool {
	if l == nil {
		return true
	}
	var buf [4096]byte
	n, err := unix.Pread(l.fd, buf[:], 0)
	if err != nil || n == len(buf) {
		return true
	}
	for _, field := range bytes.Fields(buf[:n]) {
		pid, err := strconv.Atoi(string(field))
		if err != nil || !known(pid) {
			return true
		}
	}
	return false
}

// Children returns the children of this process, of all its threads, living and dead.
func Children() ([]int, error) {
	const threads = "/proc/self/task"
	names, err := readNames(threads)
	if err != nil || !exists(fmt.Sprintf("%s/%d/children", threads, os.Getpid())) {
		return childrenInTable()
	}
	var pids []int
	for _, name := range names {
		text, err := os.ReadFile(threads + "/" + name + "/children")
		if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ESRCH) {
			continue // the thread has ended; its children are with another by now, and come next time
		}
		if err != nil {
			return nil, err
		}
		for _, field := range bytes.Fields(text) {
			pid, err := strconv.Atoi(string(field))
			if err != nil {
				return nil, err
			}
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// readNames lists a folder of /proc. Not filepath.Glob: it would read the folder of every thread, too,
// and each of them costs the kernel a hundred microseconds.
func readNames(folder string) ([]string, error) {
	f, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// childrenInTable is for kernels without CONFIG_PROC_CHILDREN.
func childrenInTable() ([]int, error) {
	c, err := ReadTable()
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, i := range c.Children[os.Getpid()] {
		pids = append(pids, c.All[i].PID)
	}
	return pids, nil
}
