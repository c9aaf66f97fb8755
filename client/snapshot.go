package client

import (
	"bytes"
	"time"

	"wf/api"
	"wf/executor/jsonline"
)

// snapshotByHand decodes the snapshot of a workspace without an active run, which is the first frame of wf run; ok is false
// for any other frame. Before it decodes the first frame, encoding/json examines all types that a frame may contain, which
// takes a twentieth of the processor time of a short command.
func snapshotByHand(data []byte) (f api.Frame, ok bool) {
	s := jsonline.NewScanner(bytes.TrimSuffix(data, []byte("\n")))
	f.Snapshot = &api.Snapshot{}
	ok = s.Object(func(key []byte, s *jsonline.Scanner) bool {
		return string(key) == "snapshot" && s.Object(func(key []byte, s *jsonline.Scanner) bool {
			switch string(key) {
			case "seq":
				return s.Uint64(&f.Snapshot.Seq)
			case "status":
				return s.Object(func(key []byte, s *jsonline.Scanner) bool { return statusField(&f.Snapshot.Status, key, s) })
			}
			return false
		})
	})
	return f, ok && s.Done()
}

// statusField decodes the value of one field of a status.
func statusField(status *api.Status, key []byte, s *jsonline.Scanner) bool {
	switch string(key) {
	case "schema":
		return s.Text(&status.Schema)
	case "workfile":
		return s.Text(&status.Workfile)
	case "workspace":
		return s.Text(&status.Workspace)
	case "results":
		return s.Text(&status.Results)
	case "active_runs":
		status.ActiveRuns = []string{}
		return s.Word("[]")
	case "counts":
		return countsByHand(&status.Counts, s)
	case "last_run":
		if status.LastRun == nil {
			status.LastRun = &api.RunSummary{}
		}
		return s.Object(func(key []byte, s *jsonline.Scanner) bool { return summaryField(status.LastRun, key, s) })
	}
	return false
}

// summaryField decodes the value of one field of the summary of a run.
func summaryField(run *api.RunSummary, key []byte, s *jsonline.Scanner) bool {
	switch string(key) {
	case "run":
		return s.Text(&run.Run)
	case "result":
		return s.Text((*string)(&run.Result))
	case "mode":
		return s.Text(&run.Mode)
	case "nodes":
		return s.Int(&run.Nodes)
	case "counts":
		return countsByHand(&run.Counts, s)
	case "client":
		return s.Text(&run.Client)
	case "started":
		return s.Time(&run.Started)
	case "ended":
		run.Ended = new(time.Time)
		return s.Time(run.Ended)
	case "duration_ms":
		run.DurationMS = new(int64)
		return s.Int64(run.DurationMS)
	case "exit_code":
		run.ExitCode = new(int)
		return s.Int(run.ExitCode)
	}
	return false
}

// countsByHand decodes counts of nodes that have all ended.
func countsByHand(counts *api.Counts, s *jsonline.Scanner) bool {
	return s.Object(func(key []byte, s *jsonline.Scanner) bool {
		switch string(key) {
		case "ok":
			return s.Int(&counts.OK)
		case "failed":
			return s.Int(&counts.Failed)
		case "blocked":
			return s.Int(&counts.Blocked)
		case "idle":
			return s.Int(&counts.Idle)
		case "kept":
			return s.Int(&counts.Kept)
		case "skipped":
			return s.Int(&counts.Skipped)
		}
		return false
	})
}
