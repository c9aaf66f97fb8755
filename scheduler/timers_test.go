package scheduler

import (
	"slices"
	"testing"
)

func TestTimersAreServedInOrder(t *testing.T) {
	var queue timers
	first, second, third := &extras{}, &extras{}, &extras{}
	queue.add(3, third, timeLimit, 20)
	queue.add(2, second, timeJoin, 10)
	queue.add(1, first, timeWait, 10)
	var served []nodeID
	for {
		due, ok := queue.due(15)
		if !ok {
			break
		}
		served = append(served, due.node)
	}
	if !slices.Equal(served, []nodeID{1, 2}) || queue.next() != 20 {
		t.Errorf("served %v, next at %d", served, queue.next())
	}
}

func TestStaleTimersAreSkipped(t *testing.T) {
	var queue timers
	x := &extras{}
	queue.add(1, x, timeWait, 10)
	queue.add(1, x, timeWait, 30) // replaces the first one
	queue.add(1, x, timeLimit, 20)
	x.dropTimer(timeLimit)
	queue.trim()
	if due, ok := queue.due(25); ok || queue.next() != 30 {
		t.Errorf("served %+v, next at %d", due, queue.next())
	}
	if _, ok := queue.due(30); !ok || queue.next() != 0 {
		t.Errorf("the timer that replaced another one was not served")
	}
}

func TestShiftKeepsNamedMoments(t *testing.T) {
	var queue timers
	duration, moment := &extras{}, &extras{fixed: true}
	queue.add(1, duration, timeWait, 10)
	queue.add(2, moment, timeWait, 15)
	queue.add(2, moment, timeLimit, 20)
	queue.shift(100)
	var at []int64
	for due, ok := queue.due(1000); ok; due, ok = queue.due(1000) {
		at = append(at, due.at)
	}
	if !slices.Equal(at, []int64{15, 110, 120}) {
		t.Errorf("timers at %v", at)
	}
}
