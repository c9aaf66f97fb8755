package inquiry

import (
	"wf/api"
	"wf/workspace/history"
	"wf/workspace/runstate"
)

// addLeftovers adds leftover processes to the description of a run that is over.
func addLeftovers(d *api.RunDetail, res *history.Result) {
	if res == nil {
		return
	}
	names := map[string]string{}
	for k := range d.Execs {
		x := &d.Execs[k]
		names[x.Node] = x.Name
		for _, l := range res.Left {
			if l.Node == x.Node && l.Execution == x.Execution {
				x.LeftPIDs = append(x.LeftPIDs, l.PID)
			}
		}
	}
	d.Notes = append(d.Notes, runstate.LeftoverNotes(res.Left, res.LeftCount, func(id string) string {
		if name := names[id]; name != "" {
			return name
		}
		return id
	})...)
}

// leftIn returns the leftover processes in the records of a run that is over.
func leftIn(records []history.Record) []history.Leftover {
	for _, rec := range records {
		if rec.Result != nil {
			return rec.Result.Left
		}
	}
	return nil
}
