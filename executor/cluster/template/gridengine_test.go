package template_test

import (
	"os"
	"testing"
	"time"

	"wf/executor"
	"wf/executor/cluster"
	"wf/executor/cluster/template"
	"wf/executor/executortest"
	"wf/executor/login"
)

// realGridEngine returns an executor for the Grid Engine that with-gridengine has started.
func realGridEngine(t *testing.T) *cluster.Cluster {
	t.Helper()
	if os.Getenv("WF_GRIDENGINE") == "" {
		t.Skip("there is no Grid Engine: start the test with testdata/with-gridengine")
	}
	engine, err := template.New("gridengine", template.Profile{}, true)
	if err != nil {
		t.Fatal(err)
	}
	return &cluster.Cluster{Name: "sge", Engine: engine, Shell: &login.Shell{},
		Timing: cluster.Timing{Poll: 100 * time.Millisecond, Slowest: time.Second, Collect: 10 * time.Millisecond, Missing: 5 * time.Second}}
}

func TestContractWithGridEngine(t *testing.T) {
	c := realGridEngine(t)
	executortest.Test(t, func(*testing.T) executor.Executor { return c }, promises)
}
