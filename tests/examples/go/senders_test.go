// A workspace of the mock for each test: `go test senders_test.go`.
package senders

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
)

type workspace struct {
	t    *testing.T
	Name string `json:"name"`
	URL  string `json:"url"`
	Key  string `json:"api_key"`
}

func root() string {
	if url := os.Getenv("MOCKSERVER_URL"); url != "" {
		return url
	}
	return "http://localhost:8003"
}

func newWorkspace(t *testing.T, scenario string) *workspace {
	made := &workspace{t: t}
	address := root() + "/_mock/workspaces"
	_, answer := made.send("POST", address, fmt.Sprintf(`{"scenario":%q,"label":%q}`, scenario, t.Name()))
	if err := json.Unmarshal([]byte(answer), made); err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	// A failed test shows in ten lines what went wrong, and leaves its workspace to be looked at.
	t.Cleanup(func() {
		if !t.Failed() {
			made.send("DELETE", address+"/"+made.Name, "")
			return
		}
		t.Log(made.control("GET", "/report?format=text", ""))
		made.send("PATCH", address+"/"+made.Name, `{"outcome":"failed"}`)
	})
	return made
}

// control makes a control call, such as control("POST", "/clock/advance", `{"by":"PT16M"}`).
func (w *workspace) control(method, path, body string) string {
	status, answer := w.send(method, root()+"/w/"+w.Name+"/_mock"+path, body)
	if status >= 400 {
		w.t.Fatalf("%s %s: %d %s", method, path, status, answer)
	}
	return answer
}

// api calls the API as the product does.
func (w *workspace) api(method, path, body string) (int, string) {
	return w.send(method, w.URL+path, body)
}

func (w *workspace) send(method, url, body string) (int, string) {
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	if w.Key != "" {
		request.Header.Set("api-key", w.Key)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		w.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

func TestACodeConfirmsASender(t *testing.T) {
	mock := newWorkspace(t, "onboarding")
	mock.control("POST", "/machines/sender/2/resend_otp", "")
	var mails struct{ Items []struct{ OTP int } }
	if err := json.Unmarshal([]byte(mock.control("GET", "/mailbox?to=ops@acme.test&wait=5", "")), &mails); err != nil {
		t.Fatal(err)
	}
	otp := mails.Items[0].OTP

	status, answer := mock.api("PUT", "/senders/2/validate", fmt.Sprintf(`{"otp":%d}`, otp))

	if status != 204 {
		t.Errorf("got %d %s", status, answer)
	}
}

func TestACodeRunsOut(t *testing.T) {
	mock := newWorkspace(t, "onboarding")
	mock.control("POST", "/clock/advance", `{"by":"PT16M"}`)

	status, answer := mock.api("PUT", "/senders/2/validate", `{"otp":123456}`)

	if status != 400 || !strings.Contains(answer, "OTP code has expired") {
		t.Errorf("got %d %s", status, answer)
	}
}
