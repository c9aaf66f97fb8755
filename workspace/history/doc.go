// Package history stores runs on disk: one folder per run with the request, the workfile at that time,
// and a journal, which is authoritative while the run is active. All other files in the folder can be rebuilt
// from these three. The package does not use graphs or processes: nodes are numbers and names, and its
// callers interpret the records.
package history
