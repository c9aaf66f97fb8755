package main

import (
	"fmt"
	"strings"
)

// mostOfCommand is how many bytes of a command are shown where it is not what was asked for.
const mostOfCommand = 4000

// beginning is a text that is not too long to be shown, or the beginning of it and how much there is.
func beginning(text string) string {
	if len(text) <= mostOfCommand {
		return text
	}
	return strings.ToValidUTF8(text[:mostOfCommand], "") + fmt.Sprintf("… (%d bytes; wf ls --json has all of it)", len(text))
}
