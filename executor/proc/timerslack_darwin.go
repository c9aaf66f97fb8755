package proc

// WithDaemonSlack calls start. This system has no timer slack that a program inherits.
func WithDaemonSlack(start func(own []string) error) error { return start(nil) }

// TakeDaemonSlack does nothing.
func TakeDaemonSlack() {}

// WithCallersSlack calls start.
func WithCallersSlack(start func() error) error { return start() }
