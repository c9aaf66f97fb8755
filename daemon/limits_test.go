package daemon

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"wf/api"
)

// TestConnectionLimit checks that a new connection waits if all connections of a listener are busy, and that idle
// connections are closed to make room.
func TestConnectionLimit(t *testing.T) {
	for _, network := range []string{"unix", "tcp"} {
		t.Run(network, func(t *testing.T) {
			const room = 3
			r := start(t, func(c *Config) { c.connections = room })
			var inside []net.Conn
			for range room { // each has sent a part of a request
				conn := r.dial(network)
				if _, err := io.WriteString(conn, "GET "+api.GetVersion.Path+" HTTP/1.1\r\n"); err != nil {
					t.Fatal(err)
				}
				inside = append(inside, conn)
			}
			late := r.dial(network)
			if err := late.SetReadDeadline(time.Now().Add(200 * time.Millisecond)); err != nil {
				t.Fatal(err)
			}
			if err := r.requestVersion(late); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Fatalf("one connection more than %d: %v", room, err)
			}
			inside[1].Close()
			if err := late.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
				t.Fatal(err)
			}
			if resp, err := http.ReadResponse(bufio.NewReader(late), nil); err != nil {
				t.Errorf("after one was closed: %v", err)
			} else {
				resp.Body.Close()
			}
			for i := range 2 * room { // late is idle by now, like the following ones
				if err := r.requestVersion(r.dial(network)); err != nil {
					t.Errorf("connection %d after an idle one: %v", i, err)
				}
			}
		})
	}
}

// TestWaitingClientsLeaveRoom checks that with the maximum number of watchers requests are still answered, and another
// watcher is refused with the reason.
func TestWaitingClientsLeaveRoom(t *testing.T) {
	r := start(t, func(c *Config) { c.connections = 8 })
	_, path := r.open("w")
	for range 6 {
		r.watch(path)
	}
	if e := r.ask("GET", path+"/events", nil, nil); e == nil || e.Code != api.CodeRefused {
		t.Errorf("a seventh watcher: %v", e)
	}
	for range 20 {
		if err := r.requestVersion(r.dial("unix")); err != nil {
			t.Fatal(err)
		}
	}
}

// requestVersion requests the version on a connection and reads the answer.
func (r *running) requestVersion(conn net.Conn) error {
	host, token := api.SocketHost, ""
	if conn.RemoteAddr().Network() == "tcp" {
		host, token = strings.TrimPrefix(r.reg.URL, "http://"), "Authorization: Bearer "+r.reg.Token+"\r\n"
	}
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", api.GetVersion.Path, host, token); err != nil {
		return err
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}

// stallFrames and stallBytes exceed the buffers of a connection.
const (
	stallFrames = 200
	stallBytes  = 64 << 10
)

// TestStalledWatcherIsCut checks that a watcher that reads nothing is disconnected after the write deadline, and that
// another watcher gets every event.
func TestStalledWatcherIsCut(t *testing.T) {
	t.Parallel() // it waits for a deadline
	d := &daemon{cfg: Config{State: t.TempDir(), watching: watching{write: 5 * time.Second, ping: time.Hour, pong: time.Hour}}.withDefaults()}
	frames := func() *fakeFrames {
		v := &fakeFrames{frames: make(chan []byte, stallFrames)}
		v.publish(stallFrames, strings.Repeat("x", stallBytes))
		return v
	}
	stalled, cut := watchFrames(t, d, frames())
	reader, _ := watchFrames(t, d, frames())
	for i := range uint64(stallFrames) {
		f, err := next(t, reader)
		if err != nil || len(f.Events) != 1 || f.Events[0].Seq != i+1 {
			t.Fatalf("the watcher that reads: frame %d: %v", i, err)
		}
	}
	<-cut
	got := 0
	for {
		if _, err := next(t, stalled); err != nil {
			break
		}
		got++
	}
	if got == stallFrames {
		t.Error("the stalled watcher got everything: nothing was tested")
	}
}

// TestSilentWatcherIsCut checks that a watcher that neither reads nor answers pings is disconnected, and that one that
// answers pings stays much longer.
func TestSilentWatcherIsCut(t *testing.T) {
	r := start(t, func(c *Config) {
		c.linger = time.Second
		c.watching = watching{write: time.Hour, ping: 20 * time.Millisecond, pong: 500 * time.Millisecond}
	})
	alive, path := r.open("alive")
	conn := r.watch(path)
	r.allowIdle(path)
	pings := 0
	answer := conn.PingHandler()
	enough := errors.New("enough")
	conn.SetPingHandler(func(data string) error {
		if pings++; pings == 100 { // four times the limit of silence
			return enough
		}
		return answer(data)
	})
	silent, path := r.open("silent")
	r.watch(path)
	r.allowIdle(path)
	for {
		if _, err := next(t, conn); errors.Is(err, enough) {
			break
		} else if err != nil {
			t.Fatalf("a watcher that answers is cut after %d pings: %v", pings, err)
		}
	}
	<-silent.Done()
	conn.Close()
	<-alive.Done()
}

// TestHugeMessages checks that a frame header with a size of gigabytes allocates no memory and ends the connection.
func TestHugeMessages(t *testing.T) {
	const huge = 2 << 30
	r := start(t, func(c *Config) { c.linger = time.Second })
	t.Run("frame of a watcher", func(t *testing.T) {
		w, path := r.open("w")
		conn := r.watch(path).NetConn()
		r.allowIdle(path)
		head := binary.BigEndian.AppendUint64([]byte{0x81, 0x80 | 127}, huge) // text, masked
		if _, err := conn.Write(append(head, 1, 2, 3, 4)); err != nil {
			t.Fatal(err)
		}
		<-w.Done()
	})
	for name, body := range map[string]string{
		"body of a request": "{\"path\":\"" + strings.Repeat("x", int(api.OpenWorkspace.Limit)),
		"one header":        "",
	} {
		t.Run(name, func(t *testing.T) {
			conn := r.dial("unix")
			text := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
				api.OpenWorkspace.Path, api.SocketHost, huge, body)
			if body == "" {
				text = "GET / HTTP/1.1\r\nHost: " + api.SocketHost + "\r\nX: " + strings.Repeat("x", 4*headerBytes)
			}
			go io.WriteString(conn, text) // the daemon may stop reading
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("the connection is kept")
			}
			if err != nil {
				return // cut before the answer could be read
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusBadRequest && resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
				t.Errorf("status %s", resp.Status)
			}
		})
	}
}
