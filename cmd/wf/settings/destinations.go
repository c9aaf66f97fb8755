package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wf/cmd/wf/console"
	"wf/cmd/wf/exit"
	"wf/executor/ownfile"
	"wf/notify"
	"wf/notify/send"
)

// Tables of the user's configuration about notifications.
const (
	mailTable        = "mail"
	destinationTable = "destination"
)

// A DestinationKey is a key of the table [mail] or [destination.NAME].
type DestinationKey struct {
	Key, Help string
	Words     []string
	// Secret means that the value must not be readable for others: the file itself, or that of the key with _file.
	Secret bool
	// File means that the value is the path of a file, and what is set is its content.
	File  bool
	mail  func(m *send.MailServer, text string)
	named func(n *send.Named, text string)
}

const caHelp = "PEM certificates of an authority that the machine does not know, for the server"

// MailKeys returns the keys of the table [mail].
func MailKeys() []DestinationKey {
	return []DestinationKey{
		{Key: "server", Help: "the mail server: HOST or HOST:PORT; without it, the program sendmail takes mails", mail: func(m *send.MailServer, text string) { m.Server = text }},
		{Key: "security", Help: "tls, starttls or none; by default tls at port 465, and otherwise starttls", Words: []string{send.SecurityTLS, send.SecurityStartTLS, send.SecurityNone},
			mail: func(m *send.MailServer, text string) { m.Security = text }},
		{Key: "user", Help: "name for the login", mail: func(m *send.MailServer, text string) { m.User = text }},
		{Key: "password", Help: "of the user; or password_file, a file with it", Secret: true, mail: func(m *send.MailServer, text string) { m.Password = text }},
		{Key: "from", Help: "address of the sender; you at this machine", mail: func(m *send.MailServer, text string) { m.From = text }},
		{Key: "ca_file", Help: caHelp, File: true, mail: func(m *send.MailServer, text string) { m.CA = text }},
	}
}

// NamedKeys returns the keys of the tables [destination.NAME].
func NamedKeys() []DestinationKey {
	return []DestinationKey{
		{Key: "to", Help: "where it leads, as after -> in notify; must be given", named: func(n *send.Named, text string) { n.To = text }},
		{Key: "key", Help: "signs what is posted to an address; or key_file, a file with it", Secret: true, named: func(n *send.Named, text string) { n.Key = []byte(text) }},
		{Key: "token", Help: "sent as Authorization: Bearer; or token_file, a file with it", Secret: true, named: func(n *send.Named, text string) { n.Token = text }},
		{Key: "ca_file", Help: caHelp, File: true, named: func(n *send.Named, text string) { n.CA = text }},
	}
}

// fileSuffix ends a key that names a file with the value.
const fileSuffix = "_file"

// mostFile bounds a file that the configuration names, in bytes.
const mostFile = 1 << 20

// Destinations returns what the user's configuration says about destinations of notifications, with their secrets.
func Destinations(c *console.Console) (send.Config, error) {
	path := UserFile(c)
	if path == "" {
		return send.Config{}, nil
	}
	data, err := readTrusted(c, path, true, TrustOf(c, c.Get("WF_TRUST")))
	if err != nil || data == nil {
		return send.Config{}, err
	}
	values, err := parseTOML(path, data)
	if err != nil {
		return send.Config{}, err
	}
	return parseDestinations(path, values, func(file string, secret bool) (string, error) { return readFile(c, path, file, secret) })
}

// A fileReader returns the content of a file that the configuration names. Without a name it returns nothing but an error if
// others can read the configuration itself, which has the secret.
type fileReader func(file string, secret bool) (string, error)

// parseDestinations reads the tables about destinations.
func parseDestinations(path string, values map[string]any, read fileReader) (cfg send.Config, err error) {
	cfg.Named = map[string]send.Named{}
	if value, given := values[mailTable]; given {
		err := parseKeys(path+", [mail]", value, MailKeys(), read, func(k DestinationKey, text string) { k.mail(&cfg.Mail, text) })
		if err != nil {
			return cfg, err
		}
	}
	tables, isTable := values[destinationTable].(map[string]any)
	if values[destinationTable] != nil && !isTable {
		return cfg, destinationError(path, "destination must be a table", "begin it with [destination.NAME]")
	}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		where := path + ", [destination." + name + "]"
		if !notify.IsName(name) {
			return cfg, destinationError(where, "its name must have at most 32 letters, digits, - and _", "")
		}
		var n send.Named
		if err := parseKeys(where, tables[name], NamedKeys(), read, func(k DestinationKey, text string) { k.named(&n, text) }); err != nil {
			return cfg, err
		}
		to, err := notify.ParseDestination(n.To)
		switch {
		case n.To == "":
			return cfg, destinationError(where, "it has no destination", `add to = "https://…", or another one of wf help notify`)
		case err != nil:
			return cfg, destinationError(where, "to: "+err.Error(), "")
		case to.Kind == notify.Named:
			return cfg, destinationError(where, "to: a destination cannot lead to another one", "")
		}
		cfg.Named[name] = n
	}
	return cfg, nil
}

// parseKeys reads the keys of a table.
func parseKeys(where string, value any, keys []DestinationKey, read fileReader, set func(DestinationKey, string)) error {
	table, isTable := value.(map[string]any)
	if !isTable {
		return destinationError(where, "it must be a table", "")
	}
	var names []string
	for _, k := range keys {
		names = append(names, k.Key)
		if k.Secret {
			names = append(names, k.Key+fileSuffix)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		i := slices.IndexFunc(keys, func(k DestinationKey) bool { return key == k.Key || k.Secret && key == k.Key+fileSuffix })
		text, isText := table[key].(string)
		switch {
		case i < 0:
			return &exit.Failure{Status: exit.BadUsage, What: "unknown key '" + key + "'", Where: where, Why: exit.DidYouMean(key, names), Fix: "wf help notify lists all keys"}
		case !isText || strings.ContainsAny(text, "\r\n\x00"):
			return destinationError(where, key+" must be one line of text in quotes", "")
		case keys[i].Words != nil && !slices.Contains(keys[i].Words, text):
			return destinationError(where, key+" must be one of "+strings.Join(keys[i].Words, ", "), "")
		}
		switch k := keys[i]; {
		case k.File:
			found, err := read(text, false)
			if err == nil {
				_, err = send.Roots(found)
			}
			if err != nil {
				return destinationError(where, key+": "+err.Error(), "")
			}
			text = found
		case k.Secret:
			file := ""
			if key != k.Key {
				file = text
			}
			found, err := read(file, true)
			if err != nil {
				return destinationError(where, key+": "+err.Error(), "chmod 600 makes a file readable only for you")
			}
			if file != "" {
				text = found
			}
		}
		set(keys[i], text)
	}
	return nil
}

// readFile is the fileReader of a configuration. Relative names are relative to its folder.
func readFile(c *console.Console, config, file string, secret bool) (string, error) {
	path := config
	if file != "" {
		if rest, ok := strings.CutPrefix(file, "~/"); ok {
			file = filepath.Join(c.Get("HOME"), rest)
		}
		if path = file; !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(config), path)
		}
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("the file %s does not exist", path)
	}
	if err != nil {
		return "", err
	}
	if mode := info.Mode().Perm(); secret && mode&0o077 != 0 {
		return "", fmt.Errorf("the file %s contains a secret, and others can read it (mode %04o)", path, mode)
	}
	if file == "" {
		return "", nil
	}
	data, err := ownfile.Read(path, mostFile)
	if err != nil {
		return "", err
	}
	return strings.TrimRight(string(data), "\r\n"), nil
}

func destinationError(where, why, fix string) error {
	if fix == "" {
		fix = "wf help notify"
	}
	return &exit.Failure{Status: exit.BadUsage, What: "the destinations of notifications cannot be used", Where: where, Why: why, Fix: fix}
}

// isDestinationKey reports whether a key of a configuration file belongs to a table about destinations.
func isDestinationKey(key string) bool {
	table, _, _ := strings.Cut(key, ".")
	return table == mailTable || table == destinationTable
}
