// Reads and makes rows beside each other, in the way that the argument names.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

var (
	client = &http.Client{Timeout: 20 * time.Second}
	mutex  sync.Mutex
	until  time.Time // every 429 closes the gate for as long as its header says
)

func call(method, path, body string) (*http.Response, []byte) {
	request, err := http.NewRequest(method, os.Getenv("MOCKSERVER_URL")+"/v3/"+path, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	request.Header.Set("api-key", "any")
	answer, err := client.Do(request)
	if err != nil {
		panic(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		panic(err)
	}
	return answer, text
}

func wait() {
	mutex.Lock()
	left := time.Until(until)
	mutex.Unlock()
	if left > 0 {
		time.Sleep(left)
		wait()
	}
}

func read(path string) {
	for {
		wait()
		answer, _ := call("GET", path, "")
		if answer.StatusCode != 429 {
			return
		}
		seconds, _ := strconv.Atoi(answer.Header.Get("x-sib-ratelimit-reset"))
		mutex.Lock()
		until = time.Now().Add(time.Duration(seconds) * time.Second)
		mutex.Unlock()
	}
}

// readAll reads so many contacts, or the account so often, in so many goroutines.
func readAll(goroutines, number int, isEqual bool) {
	jobs, group := make(chan string), sync.WaitGroup{}
	for worker := 0; worker < goroutines; worker++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for path := range jobs {
				read(path)
			}
		}()
	}
	seed, _ := strconv.Atoi(os.Getenv("SEED"))
	for job := 0; job < number; job++ {
		if isEqual {
			jobs <- "account"
		} else {
			jobs <- fmt.Sprintf("contacts/contact%d@list.test", (job*7+seed)%120)
		}
	}
	close(jobs)
	group.Wait()
}

func lookUp() {
	name := "New " + os.Getenv("SEED")
	answer, _ := call("POST", "contacts/lists", fmt.Sprintf(`{"name":%q,"folderId":1}`, name))
	for offset, count := 0, 1; answer.StatusCode >= 500 && offset < count; offset += 10 {
		_, text := call("GET", fmt.Sprintf("contacts/lists?limit=10&offset=%d", offset), "")
		var page struct {
			Count int
			Lists []struct{ Name string }
		}
		if err := json.Unmarshal(text, &page); err != nil {
			panic(err)
		}
		for _, list := range page.Lists {
			if list.Name == name {
				return
			}
		}
		count = page.Count
	}
}

func main() {
	ways := map[string]func(){
		"goroutines":          func() { readAll(8, 60, false) },
		"equal requests":      func() { readAll(8, 30, true) },
		"a small pool":        func() { limit(2); readAll(12, 60, false) },
		"a pool of one":       func() { limit(1); readAll(6, 30, false) },
		"a look-up":           lookUp,
		"a semaphore of four": func() { readAll(4, 60, false) },
	}
	ways[os.Args[1]]()
}

func limit(connections int) {
	client.Transport = &http.Transport{MaxConnsPerHost: connections, MaxIdleConnsPerHost: connections}
}
