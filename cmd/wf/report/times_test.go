package report

import "time"

// noon is the start of the runs in these tests.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.Local)

func after(d time.Duration) time.Time { return noon.Add(d) }

func number[T any](n T) *T { return &n }
