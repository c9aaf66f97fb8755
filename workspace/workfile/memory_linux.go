package workfile

import "golang.org/x/sys/unix"

// physicalMemory is the memory of the machine in bytes.
func physicalMemory() (int64, error) {
	var info unix.Sysinfo_t
	err := unix.Sysinfo(&info)
	return int64(uint64(info.Totalram) * uint64(info.Unit)), err
}
