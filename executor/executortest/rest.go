package executortest

var outputCases, stopCases, followCases, closeCases []testCase
