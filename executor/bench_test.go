package executor_test

import (
	"context"
	"os"
	"syscall"
	"testing"

	"wf/executor"
)

// BenchmarkExecutions keeps eight commands going at a time, as a run with -j8 does.
func BenchmarkExecutions(b *testing.B) {
	for name, command := range map[string]string{"direct": "true", "shell": "true;", "blank": ""} {
		b.Run(name, func(b *testing.B) {
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
			started := 0
			start := func(n int) {
				for ; n > 0 && started < b.N; n-- {
					job := executor.Job{ID: executor.ID{Node: started, Execution: 1}, Command: command}
					if err := session.Start([]executor.Job{job}); err != nil {
						b.Fatal(err)
					}
					started++
				}
			}
			start(width)
			for done := 0; done < b.N; {
				n := <-ended
				done += n
				start(n)
			}
			b.StopTimer()
			if _, err := session.Close(context.Background()); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N), "cpu-ns/op")
		})
	}
}

// cpuTime is what this process, its runner and their commands have used, in nanoseconds. It says
// more than the wall clock where the machine does other work besides.
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
