package rundir

import "os"

// outputsIn returns no files: the open files of other processes cannot be seen here.

func outputsIn(string) []os.FileInfo { return nil }
