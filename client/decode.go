package client

import (
	"bytes"
	"encoding/json"

	"wf/api"
	"wf/executor/jsonline"
)

// decode decodes an answer, or the registry, into out. Those of a usual wf run are decoded without encoding/json, for the
// reason that encode has.
func decode(data []byte, out any) error {
	if decodeByHand(bytes.TrimSuffix(data, []byte("\n")), out) {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber() // outputs and parameters have any type: numbers keep their spelling
	return dec.Decode(out)
}

// decodeByHand decodes the answers about the daemon, an idle workspace and a started run; ok is false, and out unchanged, for
// any other.
func decodeByHand(line []byte, out any) (ok bool) {
	switch out := out.(type) {
	case *api.VersionInfo:
		return decodeObject(line, out, versionField)
	case *api.WorkspaceInfo:
		return decodeObject(line, out, workspaceField)
	case *api.RunAccepted:
		return decodeObject(line, out, acceptedField)
	case *api.Registry:
		var compact bytes.Buffer // the file is indented
		return json.Compact(&compact, line) == nil && decodeObject(compact.Bytes(), out, registryField)
	}
	return false
}

// decodeObject decodes an object of JSON into out. It calls field for each member; if field returns false, or line is not an
// object, decodeObject returns false and leaves out unchanged.
func decodeObject[T any](line []byte, out *T, field func(into *T, key []byte, s *jsonline.Scanner) bool) bool {
	var value T
	ok := jsonline.ReadObject(line, func(key []byte, s *jsonline.Scanner) bool { return field(&value, key, s) })
	if ok {
		*out = value
	}
	return ok
}

// versionField decodes the value of one field of the version of the daemon.
func versionField(info *api.VersionInfo, key []byte, s *jsonline.Scanner) bool {
	switch string(key) {
	case "version":
		return s.Text(&info.Version)
	case "protocol":
		return s.Text(&info.Protocol)
	case "pid":
		return s.Int(&info.PID)
	case "runs":
		return s.Int(&info.Runs)
	case "requests":
		return s.True(&info.Requests)
	}
	return false
}

// workspaceField decodes the value of one field of the description of an idle workspace.
func workspaceField(info *api.WorkspaceInfo, key []byte, s *jsonline.Scanner) bool {
	switch string(key) {
	case "id":
		return s.Text(&info.ID)
	case "workfile":
		return s.Text(&info.Workfile)
	case "clients":
		return s.Int(&info.Clients)
	case "runs":
		info.Runs = []string{}
		return s.Word("[]")
	case "running":
		return s.Int(&info.Running)
	case "state":
		return s.Text(&info.State)
	case "last_run":
		if info.LastRun == nil {
			info.LastRun = &api.RunSummary{}
		}
		return s.Object(func(key []byte, s *jsonline.Scanner) bool { return summaryField(info.LastRun, key, s) })
	case "results":
		return s.Text(&info.Results)
	}
	return false
}

// acceptedField decodes the value of one field of the answer to the request for a run.
func acceptedField(run *api.RunAccepted, key []byte, s *jsonline.Scanner) bool {
	switch string(key) {
	case "run":
		return s.Text(&run.Run)
	case "mode":
		return s.Text(&run.Mode)
	case "nodes":
		return s.Int(&run.Nodes)
	case "total":
		return s.Int(&run.Total)
	}
	return false
}

// registryField decodes the value of one field of the registry.
func registryField(reg *api.Registry, key []byte, s *jsonline.Scanner) bool {
	switch string(key) {
	case "pid":
		return s.Int(&reg.PID)
	case "start_time":
		return s.Uint64(&reg.StartTime)
	case "boot_id":
		return s.Text(&reg.BootID)
	case "socket":
		return s.Text(&reg.Socket)
	case "url":
		return s.Text(&reg.URL)
	case "token":
		return s.Text(&reg.Token)
	case "version":
		return s.Text(&reg.Version)
	case "protocol":
		return s.Text(&reg.Protocol)
	case "requests":
		return s.True(&reg.Requests)
	case "given":
		return s.Text(&reg.Given)
	}
	return false
}
