package rundir

import "os"

// Without a subreaper nothing comes to the daemon, and the files of other processes cannot be seen.

func outputsIn(string) []os.FileInfo { return nil }
