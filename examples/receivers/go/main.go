// A receiver of Crier's webhooks in one file, without dependencies. Run it with Go 1.20 or later:
//
//	WEBHOOK_SECRET=whsec_... PORT=3000 go run .
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	oldest         = 5 * time.Minute
	mostBodyBytes  = 1 << 20
	mostRemembered = 10_000
)

// isGenuine says whether body was signed with secret in the last five minutes.
// header: t=<seconds>,v1=<hex>, with a second v1 while a secret is being replaced.
func isGenuine(header string, body []byte, secret string, now time.Time) bool {
	var at string
	var signatures [][]byte
	for _, part := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		if name == "t" && at == "" {
			at = value
		}
		if signature, err := hex.DecodeString(value); name == "v1" && err == nil {
			signatures = append(signatures, signature)
		}
	}
	seconds, err := strconv.ParseUint(at, 10, 40)
	if err != nil {
		return false
	}
	// Checked in both directions: a time far in the future would stay valid for long.
	if age := now.Sub(time.Unix(int64(seconds), 0)); age > oldest || age < -oldest {
		return false
	}
	// Over the bytes as received: JSON parsed and written again has other bytes. The key is the whole secret, with "whsec_".
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(at + "."))
	mac.Write(body)
	expected := mac.Sum(nil)
	for _, signature := range signatures {
		// Compared in constant time: the duration must not reveal how much of a guess was right.
		if hmac.Equal(signature, expected) {
			return true
		}
	}
	return false
}

// seen remembers events: each is delivered at least once, so it may come again.
// In a real receiver, store the ids in a database, in the same transaction as your work.
type seen struct {
	mutex sync.Mutex
	ids   map[string]bool
	order []string
}

func (s *seen) isNew(id string) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.ids[id] {
		return false
	}
	s.ids[id] = true
	s.order = append(s.order, id)
	if len(s.order) > mostRemembered {
		delete(s.ids, s.order[0])
		s.order = s.order[1:]
	}
	return true
}

func receive(secret string) http.HandlerFunc {
	known := &seen{ids: map[string]bool{}}
	return func(response http.ResponseWriter, request *http.Request) {
		// Crier sends HEAD when the endpoint is registered.
		if request.Method != http.MethodPost {
			response.WriteHeader(http.StatusNoContent)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, mostBodyBytes))
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			response.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		if err != nil {
			response.WriteHeader(http.StatusBadRequest)
			return
		}
		if !isGenuine(request.Header.Get("Service-Signature"), body, secret, time.Now()) {
			response.WriteHeader(http.StatusUnauthorized)
			return
		}
		var event struct{ ID, Type string }
		if json.Unmarshal(body, &event) != nil || event.ID == "" {
			response.WriteHeader(http.StatusBadRequest)
			return
		}
		if known.isNew(event.ID) {
			// Your work goes here. Keep it short, or put it in a queue: an answer after more than ten seconds counts as none.
			fmt.Printf("event %s %s\n", event.Type, event.ID)
		}
		response.WriteHeader(http.StatusNoContent)
	}
}

func main() {
	secret := os.Getenv("WEBHOOK_SECRET")
	if secret == "" {
		log.Fatal("Set WEBHOOK_SECRET to the secret that registering the endpoint answered with.")
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	server := &http.Server{Handler: receive(secret), ReadTimeout: 30 * time.Second}
	log.Fatal(server.Serve(listener))
}
