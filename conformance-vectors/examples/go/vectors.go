package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

type Suite struct {
	Provider   string
	Notes      map[string]struct{ Policy bool }
	TestGroups []Group
}

type Group struct {
	Secrets          []json.RawMessage
	ToleranceSeconds *int64
	Options          map[string]any
	Tests            []Test
}

type Test struct {
	TcId, Result, Reason string
	NowMs                int64
	Method, Url          *string
	Flags                []string
	Headers              [][2]Content
	Body                 Content
	BodyBase64           []byte
}

// Content is text, {"base64": …} or {"repeat": …, "times": …}.
type Content []byte

func (c *Content) UnmarshalJSON(text []byte) error {
	form := struct {
		Base64 []byte
		Repeat string
		Times  int
	}{Times: 1}
	read := json.Unmarshal(text, &form.Repeat)
	if text[0] == '{' {
		read = json.Unmarshal(text, &form)
	}
	*c = append(form.Base64, strings.Repeat(form.Repeat, form.Times)...)
	return read
}

// Verifier answers nil for what it does not offer.
type Verifier func(provider string, group Group, test Test, body []byte) *bool

func run(folder string, policy map[string]bool, accepts Verifier) (failed, unsupported int) {
	paths, _ := filepath.Glob(filepath.Join(folder, "*.json"))
	for _, path := range paths {
		var suite Suite
		if text, err := os.ReadFile(path); err != nil || json.Unmarshal(text, &suite) != nil {
			panic(path)
		}
		for _, group := range suite.TestGroups {
			for _, test := range group.Tests {
				wanted := test.Result != "invalid"
				for _, flag := range test.Flags { // your policy decides acceptable ones
					wanted = wanted && (test.Result == "valid" || policy[flag] || !suite.Notes[flag].Policy)
				}
				body := append(test.BodyBase64, test.Body...)
				if got := accepts(suite.Provider, group, test, body); got == nil {
					unsupported++
				} else if *got != wanted {
					failed++
					fmt.Println(test.TcId, "expected", test.Result, test.Reason)
				}
			}
		}
	}
	return failed, unsupported
}
