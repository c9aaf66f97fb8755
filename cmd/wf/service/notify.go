package service

import (
	"net"
	"os"
	"strings"
)

// Ready reports to systemd that the daemon answers, as sd_notify(3) describes. It does nothing in a daemon that systemd has
// not started.
func Ready() error {
	address := os.Getenv("NOTIFY_SOCKET")
	if address == "" {
		return nil
	}
	if strings.HasPrefix(address, "@") { // an abstract socket
		address = "\x00" + address[1:]
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: address, Net: "unixgram"})
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = conn.Write([]byte("READY=1"))
	return err
}
