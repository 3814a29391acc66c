// Creates senders and a workspace with net/http: `go run net_http.go`.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

type object map[string]any

// ask prints the status and the body of an answer, and returns the body.
func ask(request *http.Request, err error) object {
	check(err)
	answer, err := http.DefaultClient.Do(request)
	check(err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	check(err)
	fmt.Printf("{\"status\":%d,\"body\":%s}\n", answer.StatusCode, bytes.TrimSpace(text))
	var found object
	check(json.Unmarshal(text, &found))
	return found
}

func post(url, key string, body object) object {
	content, err := json.Marshal(body)
	check(err)
	request, err := http.NewRequest("POST", url, bytes.NewReader(content))
	check(err)
	request.Header.Set("api-key", key)
	request.Header.Set("Content-Type", "application/json")
	return ask(request, nil)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	mock := os.Getenv("MOCKSERVER_URL")
	sender := object{"name": "Zoë", "email": "zoe@acme.test"}
	post(mock+"/v3/senders", "any", sender)
	workspace := post(mock+"/_mock/workspaces", "any", object{"scenario": "onboarding"})
	post(workspace["url"].(string)+"/senders", workspace["api_key"].(string), sender)
	text := strings.Repeat("x", 1_100_000)
	post(mock+"/_mock/stubs", "any", object{"method": "GET", "path": "/v3/reports", "answer": object{"text": text}})
	ask(http.NewRequest("GET", mock+"/_mock/requests?operation=createSender", nil))
}
