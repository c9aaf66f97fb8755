package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/notify/send"
)

// certificate is that of an authority made for this test.
const certificate = `-----BEGIN CERTIFICATE-----
MIIBdTCCARugAwIBAgIUPW0OsiS4cgG+UJsmN8yNqrW8P3IwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEdGVzdDAgFw0yNjExMjMxODM1NTNaGA8yMTI2MTAzMDE4MzU1
M1owDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABHa1
fZ+o1krbCw+uuF8KMOHu08cSd73HUP0jbI3VNwB0qykkRJ2r6Ogg/AAmcRq3XF27
ZxJN5AGQ1gJ3tbRdMLWjUzBRMB0GA1UdDgQWBBRbxXRxjz+PIhA369sLChhOfnwi
dTAfBgNVHSMEGDAWgBRbxXRxjz+PIhA369sLChhOfnwidTAPBgNVHRMBAf8EBTAD
AQH/MAoGCCqGSM49BAMCA0gAMEUCIQDCbE1fiZpU5jwbuFIdxqcV88H/YKKHV4bK
M84/RDGzpQIgHLaFYytB1MwcAMjZHvMqVPGfn5Zen4JmR+iZRaS1Erw=
-----END CERTIFICATE-----
`

// destinationsOf reads a configuration.
func destinationsOf(t *testing.T, text string, mode os.FileMode) (send.Config, string, error) {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, ".config", "wf")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{"config.toml": text, "key": "secret key\n", "open": "x", "ca.pem": certificate} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, m := range map[string]os.FileMode{"config.toml": mode, "open": 0o640} {
		if err := os.Chmod(filepath.Join(dir, name), m); err != nil {
			t.Fatal(err)
		}
	}
	c, err := Destinations(&console.Console{Environ: []string{"HOME=" + home}, Dir: home})
	return c, dir, err
}

func TestDestinations(t *testing.T) {
	c, _, err := destinationsOf(t, `
jobs = 3
notify = ["failure -> @team", "# nothing", "desktop"]
[mail]
server = "mail.example.org"
security = "tls"
user = "ann"
password_file = "~/.config/wf/key"
[destination.team]
to = "https://x.org/hook"
key_file = "key"
ca_file = "ca.pem"
[destination.phone]
to = "ntfy: https://n.org/topic"
token = "t"
`, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if c.Mail != (send.MailServer{Server: "mail.example.org", Security: "tls", User: "ann", Password: "secret key"}) {
		t.Errorf("%+v", c.Mail)
	}
	if n := c.Named["team"]; n.CA != strings.TrimRight(certificate, "\n") || n.To != "https://x.org/hook" || string(n.Key) != "secret key" || len(c.Named) != 2 || c.Named["phone"].Token != "t" {
		t.Errorf("%+v", c.Named)
	}
	if c, _, err := destinationsOf(t, "jobs = 3", 0o644); err != nil || len(c.Named) > 0 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestDestinationMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"[mail]\nserwer = 'x'":                               "unknown key 'serwer'",
		"[mail]\nserver = 3":                                 "server must be one line of text",
		"[mail]\nserver = \"a\\r\\nb\"":                      "server must be one line of text",
		"[mail]\nsecurity = 'ssl'":                           "security must be one of tls, starttls, none",
		"mail = 'x'":                                         "it must be a table",
		"destination = 'x'":                                  "destination must be a table",
		"[destination.'a b']\nto = 'desktop'":                "its name must have",
		"[destination.a]\nkey = 'x'":                         "it has no destination",
		"[destination.a]\nto = '@b'":                         "cannot lead to another one",
		"[destination.a]\nto = 'nonsense'":                   "is no destination",
		"[destination.a]\nto = 'desktop'\nkey_file = 'none'": "does not exist",
		"[destination.a]\nto = 'desktop'\nkey_file = 'open'": "others can read it (mode 0640)",
		"[destination.a]\nto = 'desktop'\nto_file = 'x'":     "unknown key 'to_file'",
		"[mail]\nca_file = 'none'":                           "does not exist",
		"[mail]\nca_file = 'key'":                            "has no certificate",
	} {
		_, _, err := destinationsOf(t, text, 0o600)
		f := exit.Describe(err)
		if err == nil || exit.Status(err) != exit.BadUsage || !strings.Contains(f.What+" "+f.Why, want) || f.Fix == "" {
			t.Errorf("%q: %+v", text, f)
		}
	}
	_, _, err := destinationsOf(t, "[mail]\npassword = 'x'", 0o644)
	if err == nil || !strings.Contains(exit.Describe(err).Why, "others can read it (mode 0644)") {
		t.Errorf("a password in a file that everybody can read: %v", err)
	}
	if _, err := parseConfig("c", []byte("[destination.a]\nto = 'nonsense'"), true); err == nil {
		t.Error("the mistake is not found when the configuration is read")
	}
}

func TestNotifySetting(t *testing.T) {
	for text, want := range map[string]string{
		`notify = ["failure -> desktop", "@a"]`: "failure -> desktop\n@a",
		`notify = "desktop"`:                    "desktop",
		`notify = []`:                           "",
	} {
		found, err := parseConfig("c", []byte(text), false)
		if err != nil || found["notify"].Text != want {
			t.Errorf("%s: %q, %v", text, found["notify"].Text, err)
		}
	}
	for _, text := range []string{`notify = 3`, `notify = [3]`, `notify = ["a\nb"]`, `notify = ["nonsense"]`, `jobs = ["3"]`} {
		if _, err := parseConfig("c", []byte(text), false); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
}
