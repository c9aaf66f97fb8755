package main

import (
	"context"
	"path/filepath"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"wf/api"
	"wf/client"
	"wf/cmd/wf/exit"
	"wf/cmd/wf/settings"
)

// A kvCommand is one call of a verb of kv.
type kvCommand struct {
	// Flags.
	file, scope, run string
	ttl              string
	ifAbsent         bool
	ifValue          string
	by               int64
	quiet, json      bool

	e      *env
	ctx    context.Context
	client *client.Client
	only   *[]byte // --if; nil if it was not given
	key    string
	where  api.KVScope
	ttlMS  int64 // 0 if --ttl was not given
}

// kvElsewhere is the advice for wf kv where the daemon, which owns the values, is on another machine.
const kvElsewhere = `write the value to "$WF_OUTPUT" and call wf kv in a later node that runs where the daemon is`

// kvScopes are the words for scopes.
var kvScopes = []string{api.KVMachine, api.KVWorkfile, api.KVRun}

// newKV groups the commands for values.
func newKV(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "kv",
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

// newKVCommand returns a command of kv. flags adds its flags; run does the work.
func newKVCommand(e *env, cmd *cobra.Command, flags func(k *kvCommand, f *pflag.FlagSet), run func(k *kvCommand, args []string) error) *cobra.Command {
	k := &kvCommand{e: e}
	f := cmd.Flags()
	flags(k, f)
	f.Var(&choice{&k.scope, kvScopes}, "scope", "the scope of the key: machine, workfile (the default) or run")
	f.StringVar(&k.run, "run", "", "the `RUN` of --scope run (default: the run of the calling command)")
	// The daemon has the keys, and completion must not start it.
	cmd.Annotations = map[string]string{completesWith: "NOTHING"}
	lookFlag(cmd, &k.file, "f")
	f.BoolVar(&k.json, "json", false, "print the answer as JSON")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := e.needDaemon(kvElsewhere); err != nil {
			return err
		}
		if err := k.check(f, first(args)); err != nil {
			return err
		}
		return e.connected(cmd.Context(), func(c *client.Client) error {
			k.ctx, k.client = cmd.Context(), c
			return run(k, args)
		})
	}
	return cmd
}

func (k *kvCommand) quietFlag(f *pflag.FlagSet, what string) {
	f.BoolVarP(&k.quiet, "quiet", "q", false, what)
}

func (k *kvCommand) ttlFlag(f *pflag.FlagSet, what string) { f.StringVar(&k.ttl, "ttl", "", what) }

func (k *kvCommand) ifFlag(f *pflag.FlagSet) {
	f.StringVar(&k.ifValue, "if", "", "only if the key has this `VALUE`")
}

func newKVGet(e *env) *cobra.Command {
	return newKVCommand(e, &cobra.Command{
		Use:   "get KEY",
		Short: "Print a value, byte for byte",
		Long:  "Get prints the value of KEY as it was set. It ends with 1 if there is none.",
		Example: `  wf kv get report > report.json
  wf kv get -q done || echo nothing yet`,
		Args: nargs(1, 1),
	}, func(k *kvCommand, f *pflag.FlagSet) {
		k.quietFlag(f, "no message if there is no value")
	}, (*kvCommand).get)
}

func newKVSet(e *env) *cobra.Command {
	return newKVCommand(e, &cobra.Command{
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
	}, func(k *kvCommand, f *pflag.FlagSet) {
		k.ttlFlag(f, "delete it after this `TIME`, such as 30s, 1h or 7d (default: never)")
		f.BoolVar(&k.ifAbsent, "if-absent", false, "only if the key has no value")
		k.ifFlag(f)
		k.quietFlag(f, "no message if nothing was set")
	}, (*kvCommand).set)
}

func newKVDel(e *env) *cobra.Command {
	return newKVCommand(e, &cobra.Command{
		Use:   "del KEY",
		Short: "Delete a value",
		Long: `Del deletes the value of KEY. It ends with 0 even if there was none. With --if it ends with 1
if there is another value or none.`,
		Example: `  wf kv del --if $$ lock`,
		Args:    nargs(1, 1),
	}, func(k *kvCommand, f *pflag.FlagSet) {
		k.ifFlag(f)
		k.quietFlag(f, "no message if nothing was deleted")
	}, (*kvCommand).del)
}

func newKVLs(e *env) *cobra.Command {
	return newKVCommand(e, &cobra.Command{
		Use:   "ls [PREFIX]",
		Short: "List keys, with the size and expiry of their values",
		Example: `  wf kv ls
  wf kv ls -q build/ | while read -r key; do wf kv del "$key"; done`,
		Args: nargs(0, 1),
	}, func(k *kvCommand, f *pflag.FlagSet) {
		k.quietFlag(f, "list only the keys, one per line")
	}, (*kvCommand).ls)
}

func newKVIncr(e *env) *cobra.Command {
	return newKVCommand(e, &cobra.Command{
		Use:   "incr KEY",
		Short: "Add to a number and print the sum",
		Long: `Incr adds 1, or the number of --by, to the value of KEY, a whole number of 64 bits, and prints
the sum. A missing value counts as 0. Concurrent calls print different sums. The number is added
exactly once, even if the daemon is lost meanwhile.`,
		Example: `  wf kv incr --scope run done
  wf kv incr --by -1 slots`,
		Args: nargs(1, 1),
	}, func(k *kvCommand, f *pflag.FlagSet) {
		f.Int64Var(&k.by, "by", 1, "the number `N` to add; it may be negative")
		k.ttlFlag(f, "delete the value after this `TIME` (default: keep its expiry)")
	}, (*kvCommand).incr)
}

// check checks the flags and the key before a daemon is started.
func (k *kvCommand) check(flags *pflag.FlagSet, key string) (err error) {
	if k.key = key; !utf8.ValidString(key) {
		return exit.Usage("key %q: must be text in UTF-8", key)
	}
	if k.where, err = k.scopeOf(); err != nil {
		return err
	}
	if flags.Changed("if") {
		value := []byte(k.ifValue)
		k.only = &value
	}
	if k.only != nil && k.ifAbsent {
		return exit.Usage("--if and --if-absent cannot be combined")
	}
	ttl, err := settings.ParseAge(k.ttl)
	if k.ttl != "" && (err != nil || ttl < time.Millisecond) {
		return exit.Usage("--ttl %s: must be a time like 30s, 1h or 7d", k.ttl)
	}
	k.ttlMS = ttl.Milliseconds()
	return nil
}

// scopeOf returns the scope of the key by the flags and, inside a run, by the calling command.
func (k *kvCommand) scopeOf() (api.KVScope, error) {
	where := api.KVScope{Scope: k.scope, Run: k.run}
	switch {
	case where.Scope == "" && k.run != "":
		where.Scope = api.KVRun
	case where.Scope == "":
		where.Scope = api.KVWorkfile
	}
	if k.run != "" && where.Scope != api.KVRun {
		return where, exit.Usage("--run needs --scope run: it cannot be used with --scope %s", where.Scope)
	}
	if where.Scope == api.KVMachine {
		return where, nil
	}
	// A command in a run uses the workfile of the run in any folder, even after the file was removed.
	inside := k.e.Get("WF_WORKFILE")
	if k.file == "" && filepath.IsAbs(inside) {
		where.Workfile, k.e.workpath = inside, inside
		if where.Scope == api.KVRun && where.Run == "" {
			where.Run = k.e.Get("WF_RUN_ID")
		}
	} else {
		path, err := k.e.workfile(k.file)
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
