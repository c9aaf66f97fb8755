package webhooks

import (
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"wf/api"
	"wf/trigger/webhook"
)

// Limits of rates. A hook accepts less deliveries in twice webhook.Tolerance than are remembered, so that none is accepted twice.
const (
	failureRate  = 10   // requests without authentication a second, of an address
	failureBurst = 100  // at once
	hookRate     = 10   // deliveries a second, of a hook
	hookBurst    = 1000 // at once
)

// Reasons besides those of package webhook.
const (
	whyUnknown = "no such webhook"
	whyLarge   = "the body is too large"
	whyRate    = "too many requests"
	whyFull    = "too many deliveries wait"
	whyCut     = "the request did not arrive completely"
)

// serve answers a request. A sender learns only whether its delivery was accepted, and when to try again.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	name, isHook := strings.CutPrefix(r.URL.Path, Path)
	switch {
	case !isHook || webhook.CheckName(name) != nil || r.URL.RawQuery != "":
		s.end(w, r, http.StatusNotFound)
		return
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		s.end(w, r, http.StatusMethodNotAllowed)
		return
	}
	address := addressOf(r)
	if wait := s.failures.take(address, time.Now()); wait > 0 { // given back if it is authentic
		s.reject(name, whyRate)
		s.later(w, r, wait)
		return
	}
	if r.ContentLength > api.MostBody {
		s.reject(name, whyLarge)
		s.end(w, r, http.StatusRequestEntityTooLarge)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, api.MostBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		s.reject(name, whyLarge)
		s.end(w, r, http.StatusRequestEntityTooLarge)
		return
	case err != nil:
		s.reject(name, whyCut)
		s.end(w, r, http.StatusBadRequest)
		return
	}
	scheme, known := s.cfg.Scheme(name)
	secrets := s.unknown // for the same answer, and the same work, whether or not the hook exists
	if known {
		secrets = s.cfg.Secrets.Valid(name, time.Now())
	}
	d, why := scheme.Check(secrets, webhook.Request{Header: r.Header.Values, Body: body}, time.Now())
	if !known {
		why = whyUnknown
	}
	if why != "" {
		s.reject(name, string(why))
		s.end(w, r, http.StatusUnauthorized)
		return
	}
	s.failures.giveBack(address)
	busy(r) // from now on the connection is not closed for others
	s.deliver(w, r, name, d, body)
}

// deliver answers an authentic request.
func (s *Server) deliver(w http.ResponseWriter, r *http.Request, name string, d webhook.Delivery, body []byte) {
	switch {
	case d.Challenge != "":
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		s.counts.add("tested")
		_, _ = io.WriteString(w, d.Challenge)
		return
	case d.Ping:
		s.counts.add("tested")
		w.WriteHeader(http.StatusOK)
		return
	}
	if wait := s.accepted.take(name, time.Now()); wait > 0 {
		s.reject(name, whyRate)
		s.later(w, r, wait)
		return
	}
	known, err := s.cfg.Deliver(r.Context(), name, d, body)
	switch {
	case err == nil && known:
		s.accepted.giveBack(name)
		s.counts.add("repeated")
		w.WriteHeader(http.StatusOK)
	case err == nil:
		s.counts.add("accepted")
		w.WriteHeader(http.StatusAccepted)
	case api.HasCode(err, api.CodeNotFound): // disarmed at this moment
		s.reject(name, whyUnknown)
		s.end(w, r, http.StatusUnauthorized)
	case api.HasCode(err, api.CodeRefused):
		s.reject(name, whyFull)
		s.unavailable(w, time.Minute)
	default:
		s.counts.add("failed")
		s.unavailable(w, 5*time.Second)
	}
}

// reject counts a request that is refused.
func (s *Server) reject(name, why string) {
	s.counts.add("rejected")
	if _, known := s.cfg.Scheme(name); !known {
		name = ""
	}
	s.cfg.Rejected(name, why)
}

// end answers without a word. The body may not have been read, so the connection ends.
func (s *Server) end(w http.ResponseWriter, _ *http.Request, status int) {
	w.Header().Set("Connection", "close")
	w.WriteHeader(status)
}

// later asks the sender to try again.
func (s *Server) later(w http.ResponseWriter, r *http.Request, wait time.Duration) {
	w.Header().Set("Retry-After", seconds(wait))
	s.end(w, r, http.StatusTooManyRequests)
}

func (s *Server) unavailable(w http.ResponseWriter, wait time.Duration) {
	w.Header().Set("Retry-After", seconds(wait))
	w.WriteHeader(http.StatusServiceUnavailable)
}

func seconds(d time.Duration) string { return strconv.Itoa(max(1, int(math.Ceil(d.Seconds())))) }

// addressOf returns the address of the client, for IPv6 the network that a client usually has to itself.
func addressOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	if addr = addr.Unmap(); addr.Is6() {
		if p, err := addr.WithZone("").Prefix(64); err == nil {
			return p.String()
		}
	}
	return addr.String()
}
