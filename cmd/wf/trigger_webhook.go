package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"wf/api"
	"wf/client"
	"wf/cmd/wf/exit"
	"wf/tui/plain"
	"wf/tui/words"
)

// hookOptions are the flags of the commands about webhooks.
type hookOptions struct {
	example bool
	set     bool
	rotate  bool
	remove  bool
	keep    time.Duration
}

// aHook is a webhook of a workfile.
type aHook struct {
	api.Webhook
	listener *api.WebhookListener
}

// hooks returns the webhook of a name, or those of a workfile; "" is the default workfile.
func (o *hookOptions) hooks(ctx context.Context, e *env, c *client.Client, arg string) (found []aHook, err error) {
	list, err := c.Triggers(ctx, api.TriggersQuery{})
	if err != nil {
		return nil, err
	}
	add := func(list api.TriggerList, name string) {
		for _, w := range list.Workfiles {
			for _, t := range w.Triggers {
				if t.Webhook != nil && (name == "" || t.Webhook.Name == name) {
					found = append(found, aHook{*t.Webhook, list.Webhooks})
				}
			}
		}
	}
	if arg != "" {
		if add(list, arg); len(found) > 0 {
			return found, nil
		}
	}
	path, err := e.workfile(arg)
	if err != nil {
		if arg != "" && !strings.ContainsAny(arg, "/.") {
			return nil, &exit.Failure{Status: exit.BadUsage, What: "no webhook " + arg + " is enabled, and there is no such workfile"}
		}
		return nil, err
	}
	if list, err = c.Triggers(ctx, api.TriggersQuery{Path: path}); err != nil {
		return nil, err
	}
	if add(list, ""); len(found) == 0 {
		return nil, &exit.Failure{Status: exit.BadUsage, What: "the workfile has no webhooks", Where: path, Fix: "wf edit set-graph on='webhook: NAME' adds one; wf help webhooks explains them"}
	}
	return found, nil
}

func newTriggerURL(e *env) *cobra.Command {
	o := &hookOptions{}
	cmd := &cobra.Command{
		Use:   "url [NAME|FILE]",
		Short: "Show what to enter at the sender of a webhook",
		Long: `Url prints the URL of a webhook, or of those of a workfile, for the settings of the sender. With --example
it prints a shell script that sends a signed delivery with openssl and curl.`,
		Example: `  wf trigger url deploy
  wf trigger url deploy --example > send.sh`,
		Args: nargs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.url(cmd.Context(), e, one(args)) },
	}
	cmd.Flags().BoolVar(&o.example, "example", false, "print a script that sends a delivery")
	return cmd
}

// one returns the only argument, "" for none.
func one(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

func (o *hookOptions) url(ctx context.Context, e *env, arg string) error {
	return e.connected(ctx, func(c *client.Client) error {
		found, err := o.hooks(ctx, e, c, arg)
		if err != nil {
			return err
		}
		if o.example && len(found) > 1 {
			return exit.Usage("the workfile has several webhooks: name one")
		}
		for _, h := range found {
			if h.URL == "" && !o.example {
				return &exit.Failure{Status: exit.Failed, What: "the daemon receives no webhooks", Fix: listenAdvice}
			}
			if o.example {
				fmt.Fprint(e.Stdout, exampleScript(h))
			} else {
				fmt.Fprintln(e.Stdout, plain.Line(h.URL))
			}
			noteListener(e, h.listener)
			if h.Secret == "" {
				fmt.Fprintf(e.Stderr, "note: %s has no secret yet, and accepts nothing: %s\n", plain.Line(h.Name), secretAdvice(h.Webhook))
			}
		}
		return nil
	})
}

// listenAdvice says how to switch the listener on.
const listenAdvice = `webhook-listen = "127.0.0.1:8791" in the configuration (wf help webhooks), then wf server restart`

// secretAdvice says how a webhook gets its secret.
func secretAdvice(h api.Webhook) string {
	if h.Scheme == "slack" || h.Scheme == "stripe" {
		return "wf trigger secret " + h.Name + " --set, and enter the one that the sender shows"
	}
	return "wf trigger enable makes one"
}

// hasWebhook reports whether one of the triggers is a webhook.
func hasWebhook(list api.TriggerList) bool {
	for _, w := range list.Workfiles {
		if slices.ContainsFunc(w.Triggers, func(t api.Trigger) bool { return t.Webhook != nil }) {
			return true
		}
	}
	return false
}

// noteListener says what is wrong with the listener.
func noteListener(e *env, l *api.WebhookListener) {
	switch {
	case l == nil:
		fmt.Fprintf(e.Stderr, "note: the daemon receives no webhooks: %s\n", listenAdvice)
	case l.Problem != "":
		fmt.Fprintf(e.Stderr, "warning: the daemon receives no webhooks at present: %s\n", plain.Line(l.Problem))
	}
}

// A sample is how a delivery of a scheme is sent with curl. SIGNED is what openssl signs.
type sample struct {
	signed  string   // the text in front of the body, with $now and $id
	headers []string // with $now, $id and $sum
}

var samples = map[string]sample{
	"wf":       {`$now.$id.`, []string{`Wf-Signature: t=$now,id=$id,v1=$sum`}},
	"github":   {``, []string{`X-Hub-Signature-256: sha256=$sum`, `X-GitHub-Delivery: $id`, `X-GitHub-Event: push`}},
	"gitlab":   {``, []string{`X-Gitlab-Token: $secret`, `Idempotency-Key: $id`, `X-Gitlab-Event: Push Hook`}},
	"slack":    {`v0:$now:`, []string{`X-Slack-Signature: v0=$sum`, `X-Slack-Request-Timestamp: $now`}},
	"stripe":   {`$now.`, []string{`Stripe-Signature: t=$now,v1=$sum`}},
	"standard": {`$id.$now.`, []string{`webhook-id: $id`, `webhook-timestamp: $now`, `webhook-signature: v1,$sum`}},
}

// exampleScript returns a script that sends a delivery. openssl takes keys only as arguments, which the script says.
func exampleScript(h aHook) string {
	s := samples[h.Scheme]
	key, sum := `hexkey:$(printf %s "$secret" | od -An -v -tx1 | tr -d ' \n')`, `-r | cut -d ' ' -f 1`
	if h.Scheme == "standard" {
		key, sum = `hexkey:$(printf %s "${secret#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \n')`, `-binary | base64`
	}
	url := h.URL
	if url == "" {
		url = "http://127.0.0.1:8791/hooks/" + h.Name
	}
	var b strings.Builder
	fmt.Fprintf(&b, `#!/bin/sh
# Sends the file $1 (or a small text) to the webhook %[1]s. $2 is the id of the delivery: with the same id nothing starts again.
# openssl gets the key as an argument, which other users of this machine can see for that moment: this is for trying.
set -eu
secret=${SECRET:-$(wf trigger secret %[1]s)}
now=$(date +%%s)
id=${2:-$now-$$}
body=$(mktemp)
trap 'rm -f "$body"' EXIT
if [ $# -gt 0 ]; then cat "$1" > "$body"; else printf '{"id":"%%s"}' "$id" > "$body"; fi
`, h.Name)
	if h.Scheme != "gitlab" {
		fmt.Fprintf(&b, "sum=$({ printf %%s \"%s\"; cat \"$body\"; } | openssl dgst -sha256 -mac HMAC -macopt \"%s\" %s)\n", s.signed, key, sum)
	}
	fmt.Fprintf(&b, "curl -sS -o /dev/null -w '%%{http_code}\\n' --data-binary @\"$body\" -H 'Content-Type: application/json' -H @- %s <<END\n", words.Quote(url))
	for _, line := range s.headers {
		fmt.Fprintln(&b, line)
	}
	b.WriteString("END\n")
	return b.String()
}

func newTriggerSecret(e *env) *cobra.Command {
	o := &hookOptions{}
	cmd := &cobra.Command{
		Use:   "secret [NAME|FILE]",
		Short: "Show or change the secret of a webhook",
		Long: `Secret prints the secret of a webhook, which the sender needs too. wf trigger enable makes it, 32 random
bytes, and it stays until it is changed here. Senders that make the secret themselves, as Slack and
Stripe do, show one that --set stores; it is read from standard input, never from an argument.

A secret that is replaced stays valid for --keep, so that nothing is lost until the sender has the new
one. If strangers know it, use --keep 0s.`,
		Example: `  wf trigger secret deploy
  wf trigger secret deploy --rotate
  wf trigger secret pay --set < stripe-secret.txt`,
		Args: nargs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.secret(cmd.Context(), e, one(args)) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.set, "set", false, "store the secret that standard input has")
	f.BoolVar(&o.rotate, "rotate", false, "make a new secret")
	f.BoolVar(&o.remove, "remove", false, "remove the secret: nothing is accepted until there is a new one")
	timeVar(f, &o.keep, "keep", 24*time.Hour, "with --set and --rotate: the secret before stays valid for this `TIME`")
	cmd.MarkFlagsMutuallyExclusive("set", "rotate", "remove")
	return cmd
}

// mostSecret bounds what is read as a secret.
const mostSecret = 4096

func (o *hookOptions) secret(ctx context.Context, e *env, arg string) error {
	q := api.WebhookSecret{Op: api.SecretShow, KeepMS: o.keep.Milliseconds()}
	switch {
	case o.set:
		q.Op = api.SecretSet
	case o.rotate:
		q.Op = api.SecretRotate
	case o.remove:
		q.Op = api.SecretRemove
	}
	if o.keep < 0 {
		return exit.Usage("--keep must not be negative")
	}
	return e.connected(ctx, func(c *client.Client) error {
		found, err := o.hooks(ctx, e, c, arg)
		if err != nil {
			if q.Op != api.SecretRemove || arg == "" {
				return err
			}
			found = []aHook{{Webhook: api.Webhook{Name: arg}}} // that of a workfile that is gone
		}
		if q.Op != api.SecretShow && len(found) > 1 {
			return exit.Usage("the workfile has several webhooks: name one")
		}
		for _, h := range found {
			q.Hook, q.Scheme = h.Name, h.Scheme
			if q.Op == api.SecretSet {
				if q.Secret, err = readSecret(e); err != nil {
					return err
				}
			}
			info, err := c.WebhookSecret(ctx, q)
			if err != nil {
				return err
			}
			if err := o.printSecret(e, h, info, len(found) > 1); err != nil {
				return err
			}
		}
		return nil
	})
}

func (o *hookOptions) printSecret(e *env, h aHook, info api.WebhookSecretInfo, several bool) error {
	name := plain.Line(h.Name)
	switch {
	case o.remove && !info.Changed:
		fmt.Fprintf(e.Stderr, "%s has no secret\n", name)
		return nil
	case o.remove:
		fmt.Fprintf(e.Stderr, "removed the secret of %s\n", name)
		return nil
	case info.Secret == "":
		return &exit.Failure{Status: exit.Failed, What: name + " has no secret yet, and accepts nothing", Fix: secretAdvice(h.Webhook)}
	case o.set:
		fmt.Fprintf(e.Stderr, "stored the secret of %s\n", name)
	case several:
		fmt.Fprintf(e.Stdout, "%s  %s\n", name, plain.Line(info.Secret))
	default:
		fmt.Fprintln(e.Stdout, plain.Line(info.Secret))
	}
	if info.OldUntil != "" {
		fmt.Fprintf(e.Stderr, "note: the secret before is valid until %s\n", localTime(info.OldUntil))
	}
	return nil
}

// readSecret reads a secret from standard input, without an echo on a terminal.
func readSecret(e *env) (string, error) {
	var text []byte
	var err error
	if in, ok := e.Stdin.(*os.File); ok && term.IsTerminal(int(in.Fd())) {
		fmt.Fprint(e.Stderr, "Secret: ")
		text, err = term.ReadPassword(int(in.Fd()))
		fmt.Fprintln(e.Stderr)
	} else {
		text, err = io.ReadAll(io.LimitReader(e.Stdin, mostSecret))
	}
	if err != nil {
		return "", fmt.Errorf("read the secret: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// readBody reads the body for wf trigger fire; "-" is standard input.
func readBody(e *env, path string) ([]byte, error) {
	var in io.Reader = e.Stdin
	if path != "-" {
		f, err := os.Open(e.Abs(path))
		if err != nil {
			return nil, exit.Usage("--body: %v", err)
		}
		defer f.Close()
		in = f
	}
	body, err := io.ReadAll(io.LimitReader(in, api.MostBody+1))
	switch {
	case err != nil:
		return nil, exit.Usage("--body: %v", err)
	case len(body) > api.MostBody:
		return nil, exit.Usage("--body: it has more than %d bytes", api.MostBody)
	}
	return append([]byte{}, body...), nil // not nil, also if it is empty
}

// noteWebhooks says what senders of the webhooks of a workfile need, after wf trigger enable.
func noteWebhooks(e *env, list api.TriggerList) {
	any := false
	for _, w := range list.Workfiles {
		for _, t := range w.Triggers {
			if t.Webhook == nil {
				continue
			}
			any = true
			if t.Webhook.URL != "" {
				fmt.Fprintf(e.Stderr, "  %s  at %s, with the secret of wf trigger secret %s\n", plain.Line(t.On), plain.Line(t.Webhook.URL), t.Webhook.Name)
			}
			if t.Webhook.Secret == "" {
				fmt.Fprintf(e.Stderr, "  %s accepts nothing without a secret: %s\n", t.Webhook.Name, secretAdvice(*t.Webhook))
			}
		}
	}
	if any {
		noteListener(e, list.Webhooks)
	}
}

// webhookText describes a webhook in a list of triggers.
func webhookText(h *api.Webhook) string {
	text := plain.Line(h.URL)
	switch {
	case h.Secret == "":
		text = "has no secret"
	case h.URL == "":
		text = "is not received: wf trigger url " + h.Name
	}
	switch {
	case h.Waiting == 1:
		text += ", 1 delivery waits"
	case h.Waiting > 1:
		text += fmt.Sprintf(", %d deliveries wait", h.Waiting)
	}
	return text
}
