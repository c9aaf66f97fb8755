//go:build !linux

package main

import (
	"errors"
	"time"
)

// The attacks need /proc and pidfd, which only Linux has; wf itself also runs elsewhere.
var errLinuxOnly = errors.New("torture needs Linux: it finds processes in /proc")

func becomeSubreaper() error { return errLinuxOnly }

func processes() ([]process, error) { return nil, errLinuxOnly }

func readProcess(int) (process, error) { return process{}, errLinuxOnly }

func (p process) program() string { return "" }

func (p process) cwd() string { return "" }

func (p process) argv() []string { return nil }

func (p process) term() error { return errLinuxOnly }

func (p process) kill() error { return errLinuxOnly }

func (p process) pause() error { return errLinuxOnly }

func (p process) goOn() error { return errLinuxOnly }

func (p process) quit() error { return errLinuxOnly }

type footprint struct {
	descriptors, threads, children, zombies int
	memoryKB                                int64
}

func (p process) footprint() (footprint, error) { return footprint{}, errLinuxOnly }

func (p process) cpu() (time.Duration, error) { return 0, errLinuxOnly }
