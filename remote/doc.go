// Package remote uses wf on another machine through ssh: a keeper here holds one connection for all commands, and a holder
// there executes commands and connects to the daemon. Many streams share the connection, and they survive its loss. The
// package knows nothing about workfiles and does not print.
package remote
