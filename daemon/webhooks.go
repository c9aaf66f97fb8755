package daemon

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"wf/api"
	"wf/daemon/armed"
	"wf/daemon/metrics"
	"wf/daemon/webhooks"
	"wf/trigger/webhook"
)

// Webhooks is where deliveries of webhooks are received. The zero value is nowhere.
type Webhooks struct {
	Listen string // address and port
	// Cert and Key are files of a certificate, absolute; without them it is plain HTTP. Cert "none" allows that at an address
	// that is not loopback, too.
	Cert, Key string
	URL       string // in front of the name of a webhook for senders, if a proxy stands in between; "" = that of Listen
}

// Check returns what is wrong.
func (c Webhooks) Check() error {
	if c.URL != "" && !strings.HasPrefix(c.URL, "https://") && !strings.HasPrefix(c.URL, "http://") {
		return api.Invalid("webhook-url %s: it must begin with https:// or http://", c.URL)
	}
	for _, path := range []string{c.Cert, c.Key} {
		if path != "" && path != webhooks.NoTLS && !filepath.IsAbs(path) {
			return api.Invalid("%s: the path of a certificate or key must be absolute", path)
		}
	}
	if c.Listen == "" {
		return nil
	}
	if err := webhooks.CheckListen(c.Listen, c.Cert, c.Key); err != nil {
		e := api.Invalid("webhook-listen: %v", err)
		e.Fix = "webhook-tls-cert and webhook-tls-key name a certificate; a proxy on this machine can use 127.0.0.1; webhook-tls-cert=none allows it as it is"
		return e
	}
	return nil
}

// dirSecrets is the folder of the secrets of webhooks in the state folder.
const dirSecrets = armed.Dir + "/webhooks"

// receiver receives deliveries of webhooks for the armed triggers, and keeps their secrets.
type receiver struct {
	cfg      Webhooks
	triggers *triggers
	keeper   *armed.Keeper
	secrets  *webhooks.Secrets
	started  chan struct{}    // closed when server is set: requests are answered before
	server   *webhooks.Server // nil = none
}

func newReceiver(d *daemon) *receiver {
	return &receiver{cfg: d.cfg.Webhooks, triggers: d.triggers, keeper: d.triggers.keeper, started: make(chan struct{}),
		secrets: webhooks.NewSecrets(filepath.Join(d.cfg.State, dirSecrets))}
}

// start begins to listen if a setting says so. The keeper is open.
func (rc *receiver) start(d *daemon) {
	defer close(rc.started)
	if rc.cfg.Listen == "" {
		return
	}
	cfg := webhooks.Config{Listen: rc.cfg.Listen, Cert: rc.cfg.Cert, Key: rc.cfg.Key, Secrets: rc.secrets, Log: d.cfg.Log, Rejected: rc.keeper.Rejected,
		Scheme: func(name string) (webhook.Scheme, bool) {
			h, ok := rc.keeper.Hook(name)
			return h.Scheme, ok
		},
		Deliver: rc.keeper.Deliver}
	if cfg.Cert == webhooks.NoTLS {
		cfg.Cert = ""
	}
	rc.server = webhooks.Start(cfg)
}

// receiverWait bounds the wait for requests of webhooks at the end: those that have arrived are answered, slow ones are not.
const receiverWait = 2 * time.Second

// close ends the listener. The keeper is still open, so that deliveries that have arrived are answered.
func (rc *receiver) close() {
	if rc.server != nil {
		rc.server.Close(receiverWait)
	}
}

// listener describes where deliveries are received, nil for nowhere. It waits for start.
func (rc *receiver) listener() *api.WebhookListener {
	<-rc.started
	if rc.server == nil {
		return nil
	}
	l := &api.WebhookListener{Listen: rc.server.Address(), Problem: rc.server.Problem()}
	if l.Listen == "" {
		l.Listen = rc.cfg.Listen
	}
	l.URL = strings.TrimSuffix(rc.cfg.URL, "/")
	if l.URL == "" {
		l.URL = "http://"
		if rc.cfg.Cert != "" && rc.cfg.Cert != webhooks.NoTLS {
			l.URL = "https://"
		}
		l.URL += reachable(l.Listen)
	}
	l.URL += webhooks.Path
	return l
}

// reachable returns an address that senders can use: the name of this machine, if it listens at all of its addresses.
func reachable(address string) string {
	host, port, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
		if name, err := os.Hostname(); err == nil {
			return net.JoinHostPort(name, port)
		}
	}
	return address
}

// describe adds to a list of triggers what senders of webhooks need.
func (rc *receiver) describe(list *api.TriggerList) {
	list.Webhooks = rc.listener()
	now := time.Now()
	for _, w := range list.Workfiles {
		for _, t := range w.Triggers {
			if t.Webhook == nil {
				continue
			}
			if list.Webhooks != nil {
				t.Webhook.URL = list.Webhooks.URL + t.Webhook.Name
			}
			if s, err := rc.secrets.Get(t.Webhook.Name, now); err == nil && s.Secret != "" {
				t.Webhook.Secret, t.Webhook.OldUntil = secretTimes(s)
			}
		}
	}
}

// secretTimes returns when a secret was made, and until when the one before is valid.
func secretTimes(s webhooks.Secret) (since, oldUntil string) {
	if s.Old != "" {
		oldUntil = s.OldUntil.Format(time.RFC3339)
	}
	return s.Since.Format(time.RFC3339), oldUntil
}

// makeSecrets makes the secrets that lines of a workfile need and that no sender gives.
func (rc *receiver) makeSecrets(list []api.TriggerWorkfile) error {
	for _, w := range list {
		for _, t := range w.Triggers {
			if t.Webhook == nil || webhook.Scheme(t.Webhook.Scheme).Given() {
				continue
			}
			if _, _, err := rc.secrets.Make(t.Webhook.Name, webhook.Scheme(t.Webhook.Scheme), time.Now()); err != nil {
				return api.Internal("the secret of a webhook cannot be stored", err)
			}
		}
	}
	return nil
}

// use shows or changes the secret of a webhook.
func (rc *receiver) use(_ *http.Request, q api.WebhookSecret) (api.WebhookSecretInfo, error) {
	info := api.WebhookSecretInfo{Hook: q.Hook, Scheme: q.Scheme}
	if err := webhook.CheckName(q.Hook); err != nil {
		return info, api.Invalid("%v", err)
	}
	if h, ok := rc.keeper.Hook(q.Hook); ok {
		info.Scheme = string(h.Scheme)
	}
	scheme, now := webhook.Scheme(info.Scheme), time.Now()
	if !webhook.Known(info.Scheme) && q.Op != api.SecretShow && q.Op != api.SecretRemove {
		return info, &api.Error{Code: api.CodeNotFound, Message: "no webhook " + q.Hook + " is enabled", Fix: "wf trigger ls lists those that are"}
	}
	var sec webhooks.Secret
	var err error
	switch q.Op {
	case api.SecretShow:
		sec, err = rc.secrets.Get(q.Hook, now)
	case api.SecretMake:
		if scheme.Given() {
			return info, givenSecret(q.Hook, info.Scheme)
		}
		sec, info.Changed, err = rc.secrets.Make(q.Hook, scheme, now)
	case api.SecretSet:
		if err := scheme.CheckSecret(q.Secret); err != nil {
			return info, api.Invalid("%v", err)
		}
		info.Changed = true
		sec, err = rc.secrets.Change(q.Hook, scheme, q.Secret, time.Duration(q.KeepMS)*time.Millisecond, now)
	case api.SecretRotate:
		if scheme.Given() {
			return info, givenSecret(q.Hook, info.Scheme)
		}
		info.Changed = true
		sec, err = rc.secrets.Change(q.Hook, scheme, "", time.Duration(q.KeepMS)*time.Millisecond, now)
	case api.SecretRemove:
		info.Changed, err = rc.secrets.Remove(q.Hook, now)
	default:
		return info, api.Invalid("unknown op %q", q.Op)
	}
	if err != nil {
		return info, api.Internal("the secret of the webhook cannot be used", err)
	}
	if info.Secret = sec.Secret; sec.Secret != "" {
		info.Since, info.OldUntil = secretTimes(sec)
	}
	return info, nil
}

func givenSecret(hook, scheme string) error {
	return &api.Error{Code: api.CodeRefused, Message: "the sender makes the secret of " + hook + " (scheme=" + scheme + ")", Fix: "wf trigger secret " + hook + " --set, and enter the one that it shows"}
}

// figures are the figures of the listener.
func (rc *receiver) figures(w *metrics.Writer, created time.Time) {
	if rc == nil {
		return
	}
	select {
	case <-rc.started:
	default:
		return
	}
	if rc.server == nil {
		return
	}
	f := w.Family(metrics.Counter, "wf_webhook_requests", "Requests to webhooks by result, since the daemon was started.")
	for _, result := range webhooks.Results {
		f.Counter(float64(rc.server.Count(result)), created, metrics.Label{Name: "result", Value: result})
	}
	listening := 1.0
	if rc.server.Problem() != "" {
		listening = 0
	}
	w.Family(metrics.Gauge, "wf_webhook_listening", "1 while deliveries of webhooks are received.").Gauge(listening)
}

// list serves the list of triggers.
func (rc *receiver) list(r *http.Request, q api.TriggersQuery) (api.TriggerList, error) {
	list, err := rc.triggers.list(r, q)
	if err == nil {
		rc.describe(&list)
	}
	return list, err
}

// enable serves the arming of triggers, and makes the secrets of webhooks.
func (rc *receiver) enable(r *http.Request, q api.TriggerEnable) (api.TriggerList, error) {
	list, err := rc.triggers.enable(r, q)
	if err == nil {
		err = rc.makeSecrets(list.Workfiles)
	}
	if err == nil {
		rc.describe(&list)
	}
	return list, err
}
