package proc

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// A ChildList reads the children of the main thread of this process. The kernel makes that thread the parent of
// adopted orphans, so its list contains all of them, and the children that the thread has forked itself.
type ChildList struct {
	fd   int
	text [4096]byte // scratch
}

// OpenChildList returns nil on kernels without CONFIG_PROC_CHILDREN; the methods can be used all the same.
func OpenChildList() *ChildList {
	fd, err := unix.Open(fmt.Sprintf("/proc/self/task/%d/children", os.Getpid()), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	return &ChildList{fd: fd}
}

// Close closes the list.
func (l *ChildList) Close() {
	if l != nil {
		unix.Close(l.fd)
	}
}

// HasOther reports whether there is a child for which known returns false. It returns true also if that is unknown.
func (l *ChildList) HasOther(known func(pid int) bool) bool {
	if l == nil {
		return true
	}
	n, err := unix.Pread(l.fd, l.text[:], 0)
	if err != nil || n == len(l.text) {
		return true
	}
	for field := range bytes.FieldsSeq(l.text[:n]) {
		pid, err := strconv.Atoi(string(field))
		if err != nil || !known(pid) {
			return true
		}
	}
	return false
}

// Children returns the pids of all children of this process, living and dead.
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
			continue // the thread has ended: another thread has its children now, and the next call finds them
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

// readNames lists a folder of /proc. filepath.Glob would also read the folder of every thread, which costs 100 µs each.
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

// childrenInTable is Children for kernels without CONFIG_PROC_CHILDREN.
func childrenInTable() ([]int, error) {
	t, err := ReadTable()
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, i := range t.Children[os.Getpid()] {
		pids = append(pids, t.All[i].PID)
	}
	return pids, nil
}
