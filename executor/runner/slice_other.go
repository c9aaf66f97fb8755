//go:build !linux

package runner

func askForShortSlice() {}
