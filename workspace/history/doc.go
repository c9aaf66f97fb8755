// Package history is what happened, on disk: one folder per run with what was asked, the workfile
// as it was, and a journal that is the truth while the run goes on. Everything else in a folder
// can be rebuilt from those three. It knows neither graphs nor processes: nodes are numbers and
// names to it, and what a record means for a node is decided by its readers.
package history
