package main

import (
	"context"
	"path/filepath"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"wf/api"
	"wf/client"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/settings"
)

// kvOptions are the flags of kv and its verbs.
type kvOptions struct {
	file     string
	scope    string
	run      string
	ttl      string
	ifAbsent bool
	ifValue  string
	by       int64
	quiet    bool
	json     bool
}

// kvScopes are the words for scopes.
var kvScopes = []string{api.KVMachine, api.KVWorkfile, api.KVRun}

// newKV groups the commands for values.
func newKV(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "kv",
		Short: "Store values for commands: counters, locks, results",
		Long: `Kv stores values by keys on the disk, for commands that run now or later. All changes are made
one after the other, and are on the disk when the command returns. The scope of a key is the
workfile (the default), one run, whose values are deleted with it, or the machine; the same key
in another scope is another value. Inside a command that wf runs, workfile and run are those of
the command. A key is one line of text of up to 512 bytes, and a value any bytes up to 1 MiB.`,
		Example: `  n=$(wf kv incr --scope run done)              count what is done in this run
  wf kv set --if-absent --ttl 1h lock $$        take a lock; ends with 1 if it is taken
  wf kv del --if $$ lock                        give it back, if it is ours
  wf kv set report - < report.json              store a file
  wf kv get report`,
	}
	return noun(cmd, newKVGet(e), newKVSet(e), newKVDel(e), newKVLs(e), newKVIncr(e))
}

// kvCommand completes a command of kv. It calls run with a connection and the scope.
func (o *kvOptions) kvCommand(e *env, cmd *cobra.Command, run func(k *kvCall, args []string) error) *cobra.Command {
	// The daemon has the keys, and completion must not start it.
	cmd.Annotations = map[string]string{completesWith: "NOTHING"}
	f := cmd.Flags()
	f.Var(&choice{&o.scope, kvScopes}, "scope", "the scope of the key: machine, workfile (the default) or run")
	f.StringVar(&o.run, "run", "", "the `RUN` of --scope run (default: the run of the calling command)")
	lookFlag(cmd, &o.file, "f")
	f.BoolVar(&o.json, "json", false, "print the answer as JSON")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		k := &kvCall{o: o, e: e, ctx: cmd.Context(), conditional: cmd.Flags().Changed("if")}
		if len(args) > 0 {
			if k.key = args[0]; !utf8.ValidString(k.key) {
				return exit.Usage("key %q: must be text in UTF-8", k.key)
			}
		}
		return k.connected(func() error { return run(k, args) })
	}
	return cmd
}

func (o *kvOptions) quietFlag(cmd *cobra.Command, what string) {
	cmd.Flags().BoolVarP(&o.quiet, "quiet", "q", false, what)
}

func (o *kvOptions) ttlFlag(cmd *cobra.Command, what string) {
	cmd.Flags().StringVar(&o.ttl, "ttl", "", what)
}

func (o *kvOptions) ifFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.ifValue, "if", "", "only if the key has this `VALUE`")
}

func newKVGet(e *env) *cobra.Command {
	o := &kvOptions{}
	cmd := &cobra.Command{
		Use:   "get KEY",
		Short: "Print a value, byte for byte",
		Long:  "Get prints the value of KEY as it was set. It ends with 1 if there is none.",
		Example: `  wf kv get report > report.json
  wf kv get -q done || echo nothing yet`,
		Args: nargs(1, 1),
	}
	o.quietFlag(cmd, "no message if there is no value")
	return o.kvCommand(e, cmd, func(k *kvCall, _ []string) error { return k.get() })
}

func newKVSet(e *env) *cobra.Command {
	o := &kvOptions{}
	cmd := &cobra.Command{
		Use:   "set KEY VALUE",
		Short: "Store a value; - reads it from standard input",
		Long: `Set stores VALUE, or standard input if VALUE is -. It replaces an existing value and its
expiry, unless --if-absent or --if forbids that: then it prints the existing value and ends with
1. Other values that begin with - must follow --.`,
		Example: `  wf kv set color red
  wf kv set --ttl 10m token - < token.txt
  wf kv set --if red color blue             only if it is still red
  wf kv set -- offset -5`,
		Args: nargs(2, 2),
	}
	o.ttlFlag(cmd, "delete it after this `TIME`, such as 30s, 1h or 7d (default: never)")
	cmd.Flags().BoolVar(&o.ifAbsent, "if-absent", false, "only if the key has no value")
	o.ifFlag(cmd)
	o.quietFlag(cmd, "no message if nothing was set")
	return o.kvCommand(e, cmd, func(k *kvCall, args []string) error { return k.set(args[1]) })
}

func newKVDel(e *env) *cobra.Command {
	o := &kvOptions{}
	cmd := &cobra.Command{
		Use:   "del KEY",
		Short: "Delete a value",
		Long: `Del deletes the value of KEY. It ends with 0 even if there was none. With --if it ends with 1
if there is another value or none.`,
		Example: `  wf kv del --if $$ lock`,
		Args:    nargs(1, 1),
	}
	o.ifFlag(cmd)
	o.quietFlag(cmd, "no message if nothing was deleted")
	return o.kvCommand(e, cmd, func(k *kvCall, _ []string) error { return k.del() })
}

func newKVLs(e *env) *cobra.Command {
	o := &kvOptions{}
	cmd := &cobra.Command{
		Use:   "ls [PREFIX]",
		Short: "List keys, with the size and expiry of their values",
		Example: `  wf kv ls
  wf kv ls -q build/ | while read -r key; do wf kv del "$key"; done`,
		Args: nargs(0, 1),
	}
	o.quietFlag(cmd, "list only the keys, one per line")
	return o.kvCommand(e, cmd, func(k *kvCall, _ []string) error { return k.ls() })
}

func newKVIncr(e *env) *cobra.Command {
	o := &kvOptions{}
	cmd := &cobra.Command{
		Use:   "incr KEY",
		Short: "Add to a number and print the sum",
		Long: `Incr adds 1, or the number of --by, to the value of KEY, a whole number of 64 bits, and prints
the sum. A missing value counts as 0. Concurrent calls print different sums. The number is added
exactly once, even if the daemon is lost meanwhile.`,
		Example: `  wf kv incr --scope run done
  wf kv incr --by -1 slots`,
		Args: nargs(1, 1),
	}
	cmd.Flags().Int64Var(&o.by, "by", 1, "the number `N` to add; it may be negative")
	o.ttlFlag(cmd, "delete the value after this `TIME` (default: keep its expiry)")
	return o.kvCommand(e, cmd, func(k *kvCall, _ []string) error { return k.incr() })
}

// A kvCall is one call of a kv command.
type kvCall struct {
	o           *kvOptions
	e           *env
	ctx         context.Context
	conditional bool // --if was given
	key         string
	where       api.KVScope
	client      *client.Client
}

// connected checks the flags, connects to the daemon and calls do. A mistake in the flags starts no daemon.
func (k *kvCall) connected(do func() error) error {
	var err error
	if k.where, err = k.scope(); err != nil {
		return err
	}
	if k.conditional && k.o.ifAbsent {
		return exit.Usage("--if and --if-absent cannot be combined")
	}
	if _, err := k.ttl(); err != nil {
		return err
	}
	if k.client, err = k.e.connect(k.ctx); err != nil {
		return err
	}
	defer k.client.Close()
	return do()
}

// scope returns the scope of the key by the flags and, inside a run, by the calling command.
func (k *kvCall) scope() (api.KVScope, error) {
	o, where := k.o, api.KVScope{Scope: k.o.scope, Run: k.o.run}
	switch {
	case where.Scope == "" && o.run != "":
		where.Scope = api.KVRun
	case where.Scope == "":
		where.Scope = api.KVWorkfile
	}
	if o.run != "" && where.Scope != api.KVRun {
		return where, exit.Usage("--run needs --scope run: it cannot be used with --scope %s", where.Scope)
	}
	if where.Scope == api.KVMachine {
		return where, nil
	}
	// A command in a run uses the workfile of the run in any folder, even after the file was removed.
	inside := k.e.Get("WF_WORKFILE")
	if o.file == "" && filepath.IsAbs(inside) {
		where.Workfile, k.e.workpath = inside, inside
		if where.Scope == api.KVRun && where.Run == "" {
			where.Run = k.e.Get("WF_RUN_ID")
		}
	} else {
		path, err := k.e.workfile(o.file)
		if err != nil {
			return where, err
		}
		where.Workfile = path
	}
	if where.Scope == api.KVRun && where.Run == "" {
		return where, &exit.Failure{Status: exit.BadUsage, What: "--scope run needs the number of a run outside the commands of a run",
			Fix: "add --run RUN; wf runs lists them"}
	}
	return where, nil
}

// ttl returns the value of --ttl, or 0 if it was not given.
func (k *kvCall) ttl() (time.Duration, error) {
	if k.o.ttl == "" {
		return 0, nil
	}
	d, err := settings.ParseAge(k.o.ttl)
	if err != nil || d < time.Millisecond {
		return 0, exit.Usage("--ttl %s: must be a time like 30s, 1h or 7d", k.o.ttl)
	}
	return d, nil
}

// only returns the value of --if, or nil if it was not given.
func (k *kvCall) only() *[]byte {
	if !k.conditional {
		return nil
	}
	value := []byte(k.o.ifValue)
	return &value
}
