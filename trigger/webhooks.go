package trigger

import (
	"cmp"
	"fmt"
	"strings"

	"wf/trigger/webhook"
)

// Hook returns the name of a Webhook, "" for other kinds.
func (t Trigger) Hook() string {
	if t.Kind != Webhook {
		return ""
	}
	return t.Spec
}

func (t *Trigger) readScheme(text string) error {
	if !webhook.Known(text) {
		if similar := closest(text, webhook.Schemes); similar != "" {
			return fmt.Errorf("%q is unknown; did you mean %s?", text, similar)
		}
		return fmt.Errorf("%q is unknown", text)
	}
	t.Scheme = webhook.Scheme(text)
	return nil
}

// checkWebhook checks a Webhook and completes it. seen are its options.
func (t *Trigger) checkWebhook(seen map[string]bool) error {
	for _, key := range []string{"catchup", "catchup_window", "jitter", "tz"} {
		if seen[key] {
			return fmt.Errorf("%s has no effect on webhook, which starts a run for each delivery; only limit and scheme have", key)
		}
	}
	if strings.Contains(t.Spec, " ") {
		return fmt.Errorf("webhook has one name; write webhook: %s", strings.ReplaceAll(t.Spec, " ", "-"))
	}
	if err := webhook.CheckName(t.Spec); err != nil {
		if lower := strings.ToLower(t.Spec); webhook.CheckName(lower) == nil {
			return fmt.Errorf("%w; write webhook: %s", err, lower)
		}
		return err
	}
	t.Scheme = cmp.Or(t.Scheme, webhook.WF)
	return nil
}
