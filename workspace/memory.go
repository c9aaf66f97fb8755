package workspace

import "wf/workspace/workfile"

// LimitFiles bounds the memory that reading a workfile takes, in bytes. 0 leaves it at a few times its size.
func LimitFiles(bytes int64) { workfile.LimitMemory(bytes) }
