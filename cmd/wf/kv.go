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

// newKV groups the verbs about the values that commands keep.
func newKV(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "kv",
		Short: "Keep values for commands: counters, locks, results",
		Long: `Kv keeps values by keys, on the disk, for commands that run now or later. Changes happen one
after the other, whoever asks for them, and are on the disk when the command returns. The same
key in another scope is another value: of the workfile (the default), of one run, with which it
goes, or of the machine. Inside a command that wf runs, workfile and run are those of the
command. A key is one line of text of up to 512 bytes, a value any bytes up to 1 MiB.`,
		Example: `  n=$(wf kv incr --scope run done)              count what is done in this run
  wf kv set --if-absent --ttl 1h lock $$        take a lock; ends with 1 when somebody has it
  wf kv del --if $$ lock                        give it back, if it is ours
  wf kv set report - < report.json              keep a file
  wf kv get report`,
	}
	return noun(cmd, newKVGet(e), newKVSet(e), newKVDel(e), newKVLs(e), newKVIncr(e))
}

// kvCommand adds what all verbs share; run gets a connection and the scope that is meant.
func (o *kvOptions) kvCommand(e *env, cmd *cobra.Command, run func(k *kvCall, args []string) error) *cobra.Command {
	f := cmd.Flags()
	f.Var(&choice{&o.scope, kvScopes}, "scope", "whose key: machine, workfile (the default) or run")
	f.StringVar(&o.run, "run", "", "the `RUN` of --scope run (default: that of the command it is called in)")
	lookFlag(cmd, &o.file, "f")
	f.BoolVar(&o.json, "json", false, "print the answer as JSON")
	// Keys are in the daemon, which the tab key must not start.
	cmd.ValidArgsFunction = cobra.NoFileCompletions
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
	cmd.Flags().StringVar(&o.ifValue, "if", "", "only if this `VALUE` is there")
}

func newKVGet(e *env) *cobra.Command {
	o := &kvOptions{}
	cmd := &cobra.Command{
		Use:   "get KEY",
		Short: "Print a value, byte for byte",
		Long:  "Get prints the value of KEY as it was set. It ends with 1 when there is none.",
		Example: `  wf kv get report > report.json
  wf kv get -q done || echo nothing yet`,
		Args: nargs(1, 1),
	}
	o.quietFlag(cmd, "do not say that there is no value")
	return o.kvCommand(e, cmd, func(k *kvCall, _ []string) error { return k.get() })
}

func newKVSet(e *env) *cobra.Command {
	o := &kvOptions{}
	cmd := &cobra.Command{
		Use:   "set KEY VALUE",
		Short: "Keep a value; - takes it from standard input",
		Long: `Set keeps VALUE, or what comes on standard input if that is -. It replaces what is there,
with its expiry, unless --if-absent or --if forbids it: then it says what is there and ends with
1. What begins with a - otherwise goes behind --.`,
		Example: `  wf kv set color red
  wf kv set --ttl 10m token - < token.txt
  wf kv set --if red color blue             only if it is still red
  wf kv set -- offset -5`,
		Args: nargs(2, 2),
	}
	o.ttlFlag(cmd, "it is gone after this `TIME`, as 30s, 1h or 7d (default: it stays)")
	cmd.Flags().BoolVar(&o.ifAbsent, "if-absent", false, "only if the key has no value")
	o.ifFlag(cmd)
	o.quietFlag(cmd, "do not say why nothing was set")
	return o.kvCommand(e, cmd, func(k *kvCall, args []string) error { return k.set(args[1]) })
}

func newKVDel(e *env) *cobra.Command {
	o := &kvOptions{}
	cmd := &cobra.Command{
		Use:   "del KEY",
		Short: "Take a value away",
		Long: `Del takes the value of KEY away. It ends with 0 when there was none, with 1 when --if is given
and another value is there, or none.`,
		Example: `  wf kv del --if $$ lock`,
		Args:    nargs(1, 1),
	}
	o.ifFlag(cmd)
	o.quietFlag(cmd, "do not say why it stays")
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
	o.quietFlag(cmd, "list the keys only, one a line")
	return o.kvCommand(e, cmd, func(k *kvCall, _ []string) error { return k.ls() })
}

func newKVIncr(e *env) *cobra.Command {
	o := &kvOptions{}
	cmd := &cobra.Command{
		Use:   "incr KEY",
		Short: "Add to a number and print the sum",
		Long: `Incr adds 1, or what --by says, to the whole number of 64 bits that is the value of KEY, and
prints the sum. No value counts as 0. Of several calls at once each prints another sum. It is
done once, also when the daemon is lost meanwhile.`,
		Example: `  wf kv incr --scope run done
  wf kv incr --by -1 slots`,
		Args: nargs(1, 1),
	}
	cmd.Flags().Int64Var(&o.by, "by", 1, "add `N`, which may be negative")
	o.ttlFlag(cmd, "it is gone after this `TIME` from now (default: the expiry stays as it is)")
	return o.kvCommand(e, cmd, func(k *kvCall, _ []string) error { return k.incr() })
}

// A kvCall is one call of a verb.
type kvCall struct {
	o           *kvOptions
	e           *env
	ctx         context.Context
	conditional bool // --if was given
	key         string
	where       api.KVScope
	client      *client.Client
}

// connected finds the scope, then the daemon, and does the call. A mistake starts no daemon.
func (k *kvCall) connected(do func() error) error {
	var err error
	if k.where, err = k.scope(); err != nil {
		return err
	}
	if k.conditional && k.o.ifAbsent {
		return exit.Usage("--if and --if-absent exclude each other")
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

// scope is where the key is looked for, as flags and the command that this is called in say.
func (k *kvCall) scope() (api.KVScope, error) {
	o, where := k.o, api.KVScope{Scope: k.o.scope, Run: k.o.run}
	switch {
	case where.Scope == "" && o.run != "":
		where.Scope = api.KVRun
	case where.Scope == "":
		where.Scope = api.KVWorkfile
	}
	if o.run != "" && where.Scope != api.KVRun {
		return where, exit.Usage("--run goes with --scope run, not with --scope %s", where.Scope)
	}
	if where.Scope == api.KVMachine {
		return where, nil
	}
	// A command of wf is about its workfile wherever it works, and also after that was removed.
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
		return where, &exit.Failure{Status: exit.BadUsage, What: "--scope run: no run is named, and this is no command of one",
			Fix: "add --run RUN; wf runs lists them"}
	}
	return where, nil
}

// ttl is the value of --ttl; 0 when it was not given.
func (k *kvCall) ttl() (time.Duration, error) {
	if k.o.ttl == "" {
		return 0, nil
	}
	d, err := parseAge(k.o.ttl)
	if err != nil || d < time.Millisecond {
		return 0, exit.Usage("--ttl %s: must be a time like 30s, 1h or 7d", k.o.ttl)
	}
	return d, nil
}

// only is the value of --if; nil when it was not given.
func (k *kvCall) only() *[]byte {
	if !k.conditional {
		return nil
	}
	value := []byte(k.o.ifValue)
	return &value
}
