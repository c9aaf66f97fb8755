package executor_test

import (
	"context"
	"math"
	"os"
	"syscall"
	"testing"

	"wf/executor"
)

// BenchmarkExecutions runs eight commands at a time, as a run with -j8 does. flat hands over all of them at once, chain
// hands over each when the one before has ended.
func BenchmarkExecutions(b *testing.B) {
	for _, c := range []struct {
		name, command string
		ahead         int // how many jobs are handed over before the first end
	}{
		{"flat", "true", math.MaxInt}, {"chain", "true", 1}, {"shell", "true;", math.MaxInt}, {"blank", "", math.MaxInt},
	} {
		b.Run(c.name, func(b *testing.B) { benchmarkExecutions(b, c.command, c.ahead) })
	}
}

func benchmarkExecutions(b *testing.B, command string, ahead int) {
	const width = 8
	ended := make(chan int, b.N)
	session, err := newLocal(b).Open(context.Background(), executor.Spec{
		Dir: b.TempDir(), Cwd: "/", Env: os.Environ(), Width: width,
		Report: func(reports []executor.Report) {
			n := 0
			for i := range reports {
				if reports[i].Kind == executor.Ended {
					n++
				}
			}
			if n > 0 {
				ended <- n
			}
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	before := cpuTime(b)
	b.ResetTimer()
	for done, started := 0, 0; done < b.N; {
		var jobs []executor.Job
		for ; started < b.N && started-done < ahead; started++ {
			jobs = append(jobs, executor.Job{ID: executor.ID{Node: started, Execution: 1}, Command: command})
		}
		if err := session.Start(jobs); err != nil {
			b.Fatal(err)
		}
		done += <-ended
	}
	b.StopTimer()
	if _, err := session.Close(context.Background()); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N), "cpu-ns/op")
}

// cpuTime returns the CPU time of this process, its runner and their commands, in nanoseconds. Unlike wall-clock time it
// does not depend much on other work of the machine.
func cpuTime(b *testing.B) int64 {
	b.Helper()
	var total int64
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		if err := syscall.Getrusage(who, &usage); err != nil {
			b.Fatal(err)
		}
		total += usage.Utime.Nano() + usage.Stime.Nano()
	}
	return total
}
