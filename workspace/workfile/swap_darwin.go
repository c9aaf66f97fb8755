package workfile

// swap replaces path by tmp if path is still the expected file.
func swap(tmp, path string, expect identity) error { return renameOver(tmp, path, expect) }
