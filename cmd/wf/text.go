package main

import (
	"context"

	"github.com/spf13/cobra"

	"wf/cmd/wf/definition"
	"wf/cmd/wf/exit"
)

// textOptions are the flags of text.
type textOptions struct {
	file   string
	schema bool
}

func newText(e *env) *cobra.Command {
	o := &textOptions{}
	cmd := &cobra.Command{
		Use: "text [SOURCE]",
		Long: `Text prints the whole meaning of a workfile as YAML: commands, edges, conditions, containers,
parameters, all attributes of wf. It leaves out where nodes are in drawings, what runs have
written, and data of other programs; a comment at the top names that data. Equal workflows give
equal texts.

  nodes:
    fetch: curl -O "$URL"          a node that is only a command
    sort:
      run: sort data > sorted      a command with more to say
      after: fetch                 it waits for fetch; several: [fetch, other]
      retries: 2
    tell:
      run: mail ann < log
      after: {sort: failure}       the condition of an edge
    each:
      foreach: [a, b]              a container that repeats
      nodes:
        work: ./work "$WF_ITEM"

wf new FILE --from yaml makes a workfile of such a text, and wf edit text changes one by it.

SOURCE is ` + sourceHelp + `.`,
		Example: `  wf text
  wf text night.wf > night.yaml
  wf text 41:                          as run 41 had it
  wf text HEAD~1:Workfile
  wf text --schema > workfile.schema.json`,
		Args: nargs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.schema {
				if len(args) > 0 {
					return exit.Usage("--schema prints the schema of all texts, and takes no workfile")
				}
				_, err := e.Stdout.Write(definition.Schema())
				return err
			}
			if err := fileArg(cmd, &o.file, args); err != nil {
				return err
			}
			return o.print(cmd.Context(), e)
		},
	}
	lookFlag(cmd, &o.file, "f")
	cmd.Annotations[completesWith] = "FILE"
	cmd.Flags().BoolVar(&o.schema, "schema", false, "print the JSON Schema of texts, for editors")
	return cmd
}

func (o *textOptions) print(ctx context.Context, e *env) error {
	text, err := textOfSource(ctx, e, o.file)
	if err != nil {
		return err
	}
	w := e.OutputWriter(e.Stdout, false)
	if _, err := w.Write(text); err != nil {
		return err
	}
	return w.Flush()
}

// textOfSource returns the text of a source.
func textOfSource(ctx context.Context, e *env, arg string) ([]byte, error) {
	s, err := readSource(ctx, e, arg)
	if err != nil {
		return nil, err
	}
	v, err := s.version(e)
	if err != nil {
		return nil, err
	}
	text, err := v.Text()
	if err != nil {
		return nil, &exit.Failure{Status: exit.BadWorkfile, What: "there is no text of " + s.name, Why: err.Error()}
	}
	return text, nil
}
