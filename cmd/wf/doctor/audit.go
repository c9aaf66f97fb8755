package doctor

import (
	"path/filepath"

	"wf/cmd/wf/exit"
	"wf/daemon/audit"
	"wf/tui/words"
)

// checkAudit follows the chains of the audit logs.
func (d *doctor) checkAudit() {
	paths, err := audit.Paths(d.dirs.State)
	if err != nil {
		d.problem("audit", "", "%s: %s", d.dirs.State, exit.Obstacle(err))
		return
	}
	for _, path := range paths {
		sum, err := audit.Read(path, func(audit.Entry) {})
		switch {
		case err != nil:
			d.problem("audit", "", "%s: %s", path, exit.Obstacle(err))
		case sum.Problem != nil:
			d.problem("audit", "wf audit verify", "line %d of %s is wrong: %s", sum.Problem.Line, path, sum.Problem.Text)
		default:
			d.ok("audit", "%s in %s, each continues the line before", words.Plural(int(sum.Entries), "line"), filepath.Base(path))
		}
	}
}
