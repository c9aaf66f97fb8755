//go:build race

package main

// raceEnabled reports that this test was built with the race detector, so that wf is built with it, too.
const raceEnabled = true
