package graph

import (
	"crypto/rand"
	"fmt"
)

// NewID returns a random id for a node, in the form of a version 4 UUID.
func NewID() string {
	var u [16]byte
	rand.Read(u[:])
	u[6], u[8] = u[6]&0x0f|0x40, u[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}
