//go:build !linux || !(amd64 || arm64)

package procattr

// FileLimitVariable returns "": only vforkExec needs the limits.
func FileLimitVariable() string { return "" }
