package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"wf/bench/dag"
)

// How commands are run.
const (
	shellPlain = "plain" // wf and make start them directly, ninja with /bin/sh -c
	shellBash  = "bash"  // with bash -c: wf with a wrapper, make with SHELL=/bin/bash; ninja as with shellPlain
)

const bashWrapper = `bash -c '{}'`

// A benchCase is one graph run in one way, as files for all tools.
type benchCase struct {
	name  string // layered-1000-bash, with -j2 appended if several widths are measured
	shape string // layered; "" for a recorded workflow
	shell string
	graph *dag.Graph
	jobs  int
	dir   string // contains Workfile, build.ninja and Makefile
	// argv is the command of every node, for the floor; nil if nodes differ or need a shell.
	argv []string
}

func (c *benchCase) nodes() int { return len(c.graph.Nodes) }

// A source makes the same graph on each call.
type source struct {
	name  string
	shape string // see benchCase
	make  func() (*dag.Graph, error)
}

// sources returns the graphs that the options select.
func sources(o options) []source {
	var all []source
	for _, n := range o.sizes {
		for _, shape := range o.shapes {
			all = append(all, source{fmt.Sprintf("%s-%d", shape, n), shape, func() (*dag.Graph, error) {
				command := o.command
				if command == "" {
					command = "true"
				}
				return dag.New(shape, n, command, o.seed)
			}})
		}
	}
	for _, file := range o.files {
		name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		all = append(all, source{name, "", func() (*dag.Graph, error) {
			g, err := dag.ReadFile(file)
			if err == nil && o.command != "" {
				g.SetCommand(o.command)
			}
			return g, err
		}})
	}
	return all
}

// makeCases writes the files of all cases below work.
func makeCases(o options, work string) ([]*benchCase, error) {
	var cases []*benchCase
	for _, src := range sources(o) {
		for _, shell := range o.shells {
			g, err := src.make()
			if err != nil {
				return nil, err
			}
			c := &benchCase{name: src.name + "-" + shell, shape: src.shape, shell: shell, graph: g}
			c.dir = filepath.Join(work, c.name)
			if err := c.write(); err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			for _, jobs := range o.jobs {
				wide := *c
				wide.jobs = jobs
				if len(o.jobs) > 1 {
					wide.name = fmt.Sprintf("%s-j%d", c.name, jobs)
				}
				cases = append(cases, &wide)
			}
		}
	}
	if len(cases) == 0 {
		return nil, errors.New("nothing to measure: neither -shapes nor -files")
	}
	return cases, nil
}

func (c *benchCase) write() error {
	if c.shell == shellBash {
		c.graph.Wrapper = bashWrapper
	} else {
		c.graph.Wrapper = ""
	}
	c.argv = floorCommand(c.graph, c.shell)
	if err := os.Mkdir(c.dir, 0o700); err != nil {
		return err
	}
	for format, name := range map[string]string{"workfile": "Workfile", "ninja": "build.ninja", "make": "Makefile"} {
		f, err := os.Create(filepath.Join(c.dir, name))
		if err != nil {
			return err
		}
		if err := errors.Join(c.graph.Write(f, format), f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// floorCommand returns the command that a bare spawner has to start n times to do the same work, or nil if
// nodes differ or need a shell.
func floorCommand(g *dag.Graph, shell string) []string {
	command := g.Nodes[0].Command
	for i := range g.Nodes {
		if g.Nodes[i].Command != command {
			return nil
		}
	}
	if shell == shellBash {
		return []string{"bash", "-c", command}
	}
	if strings.ContainsAny(command, "\\'\"`$&|;<>()*?[]{}~#=!\n") {
		return nil
	}
	return strings.Fields(command)
}

// oneAtATime reports whether the graph is a chain.
func (c *benchCase) oneAtATime() bool {
	for i := 1; i < c.nodes(); i++ {
		if after := c.graph.Nodes[i].After; len(after) != 1 || after[0] != i-1 {
			return false
		}
	}
	return true
}
