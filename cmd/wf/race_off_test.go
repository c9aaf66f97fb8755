//go:build !race

package main

// raceEnabled is described in race_on_test.go.
const raceEnabled = false
