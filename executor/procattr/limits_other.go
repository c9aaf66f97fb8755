//go:build !linux || !(amd64 || arm64)

package procattr

// FileLimitVariable is what runners need to know for forks of their own: nothing.
func FileLimitVariable() string { return "" }
