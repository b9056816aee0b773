// Package api serves the shop over HTTP.
package api

import (
	"net/http"
	"sync"
)

// Limiter counts the requests of each client.
type Limiter struct {
	mu     sync.Mutex
	counts map[string]int
	limit  int
}

// Wrap answers with status 429 when a client has sent too many requests.
func (l *Limiter) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !l.allow(r.RemoteAddr) {
			http.Error(w, "too many requests", http.StatusTooManyRequests)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (l *Limiter) allow(client string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts[client]++
	return l.counts[client] <= l.limit
}
