package workspace

import "wf/workspace/workfile"

// LimitFiles bounds the memory for reading a workfile, in bytes. 0 means a few times the size of the file.
func LimitFiles(bytes int64) { workfile.LimitMemory(bytes) }
