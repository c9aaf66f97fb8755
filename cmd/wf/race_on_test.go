//go:build race

package main

// raceEnabled: this test was built with the race detector, so wf is built with it too.
const raceEnabled = true
