package doctor

import (
	"wf/cmd/wf/service"
)

// checkService checks the service of wf server install, if there is one.
func (d *doctor) checkService() {
	manager := service.Here(d.c.Get)
	installed, err := manager.Installed()
	switch {
	case err != nil:
		d.note("service", "", "wf server install is not possible: %v", err)
	case !installed:
	case !manager.Starts(d.m.self, "WF_RUNTIME_DIR="+d.dirs.Runtime):
		d.problem("service", "wf server install, or wf server uninstall", "%s starts another wf, or one for other folders", manager.Path)
	case service.EndsAtLogout(d.m.root, d.c.User()):
		d.note("service", service.LingerAdvice, "%s starts the daemon at login and ends it at logout", manager.Name)
	default:
		d.ok("service", "%s starts the daemon", manager.Name)
	}
}
