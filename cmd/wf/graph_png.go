package main

import (
	"bytes"
	"context"
	"os/exec"
	"strings"

	"wf/cmd/wf/exit"
)

// converters are the programs that make a PNG of an SVG, in the order of preference. They read the SVG from standard
// input and write to standard output, with twice the resolution of a screen.
var converters = [][]string{
	{"rsvg-convert", "--zoom", "2", "--format", "png"},
	{"inkscape", "--pipe", "--export-type=png", "--export-dpi=192", "--export-filename=-"},
	{"magick", "-density", "192", "svg:-", "png:-"},
	{"convert", "-density", "192", "svg:-", "png:-"},
}

// png converts an SVG with the first converter that is installed and succeeds.
func png(ctx context.Context, svg []byte) ([]byte, error) {
	var failed error
	for _, c := range converters {
		path, err := exec.LookPath(c[0])
		if err != nil {
			continue
		}
		cmd := exec.CommandContext(ctx, path, c[1:]...)
		var out, problem bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(svg), &out, &problem
		if err = cmd.Run(); err == nil && bytes.HasPrefix(out.Bytes(), []byte("\x89PNG")) {
			return out.Bytes(), nil
		}
		if failed == nil {
			failed = &exit.Failure{Status: exit.Daemon, What: c[0] + " did not make a picture", Why: strings.TrimSpace(problem.String()),
				Fix: "install librsvg (rsvg-convert), or use --format svg"}
		}
	}
	if failed != nil {
		return nil, failed
	}
	return nil, &exit.Failure{Status: exit.Daemon, What: "nothing is installed that makes a PNG of an SVG",
		Fix: "install rsvg-convert (package librsvg2-bin), inkscape or magick, or use --format svg"}
}
