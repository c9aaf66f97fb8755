package remote

import (
	"io"
	"time"

	"github.com/hashicorp/yamux"
)

// sessionConfig configures the streams in a link. The link watches over its carrier and may be without one for hours, so the
// streams have no limits of time.
func sessionConfig() *yamux.Config {
	const never = 1000 * time.Hour
	return &yamux.Config{
		AcceptBacklog:          1024,
		KeepAliveInterval:      never,
		ConnectionWriteTimeout: never,
		MaxStreamWindowSize:    1 << 20,
		StreamCloseTimeout:     never, // a laptop that sleeps closes its end late, and must get what was written before
		LogOutput:              io.Discard,
	}
}
