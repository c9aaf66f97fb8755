package cluster_test

import (
	"testing"

	"wf/executor/cluster/clustertest"
)

func TestMain(m *testing.M) { clustertest.Main(m) }
