package executor

import "os"

// Without a subreaper nothing comes to the daemon, and the files of other processes cannot be seen.

func outputsIn(string) []os.FileInfo { return nil }

func writtenBy(int) []os.FileInfo { return nil }

func programOf(int) string { return "" }
