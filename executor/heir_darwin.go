package executor

import "errors"

// Orphans belong to launchd at once: nothing is inherited, and a search never begins.
func (s *search) look() (*candidates, error) { return nil, errors.ErrUnsupported }

func byBirth(a, b process) int { return int(a.born - b.born) }

func openHandle(int, window) int { return -1 }

func fateOf(int, int) *death { return nil }

func isSubreaper() bool { return false }

// ownChildren are not needed: there are no orphans to reap.
func ownChildren() ([]int, error) { return nil, nil }
