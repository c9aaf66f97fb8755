package workfile

// swap puts tmp in the place of path if that is still the file that was expected.
func swap(tmp, path string, expect identity) error { return renameOver(tmp, path, expect) }
