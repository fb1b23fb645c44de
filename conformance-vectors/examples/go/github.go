// Tries the loop with a verifier for GitHub: go run vectors.go github.go FOLDER [broken].

package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// key is the key of a secret, nil for one that a receiver must refuse.
func key(secret json.RawMessage) []byte {
	var text string
	if json.Unmarshal(secret, &text) == nil {
		if strings.TrimSpace(text) != text {
			return nil
		}
		return []byte(text)
	}
	var form struct {
		Base64 []byte
		Hex    string
	}
	_ = json.Unmarshal(secret, &form)
	octets, _ := hex.DecodeString(form.Hex)
	return append(octets, form.Base64...)
}

func accepts(provider string, group Group, test Test, body []byte) *bool {
	right := false
	if provider != "github" || group.Options["legacySha1"] == true {
		return nil
	}
	var lines []string
	for _, header := range test.Headers {
		if strings.EqualFold(string(header[0]), "X-Hub-Signature-256") {
			lines = append(lines, strings.Trim(string(header[1]), " \t"))
		}
	}
	if len(lines) != 1 || !strings.HasPrefix(lines[0], "sha256=") || len(group.Secrets) > 8 {
		return &right
	}
	signature, err := hex.DecodeString(lines[0][len("sha256="):])
	if err != nil || len(signature) != sha256.Size {
		return &right
	}
	for _, secret := range group.Secrets {
		key := key(secret)
		if len(bytes.Trim(key, "\x00")) == 0 {
			right = false
			break
		}
		mac := hmac.New(sha256.New, key)
		mac.Write(body)
		right = hmac.Equal(mac.Sum(nil), signature) || right
	}
	return &right
}

func main() {
	text, _ := os.ReadFile(os.Args[1] + "/policies/hookproof.json")
	var list struct{ Accepted []string }
	_ = json.Unmarshal(text, &list)
	policy := map[string]bool{}
	for _, flag := range list.Accepted {
		policy[flag] = true
	}
	verifier := Verifier(accepts)
	if len(os.Args) > 2 && os.Args[2] == "broken" {
		yes := true
		verifier = func(string, Group, Test, []byte) *bool { return &yes }
	}
	failed, unsupported := run(os.Args[1], policy, verifier)
	fmt.Printf("%d failed, %d unsupported\n", failed, unsupported)
	if failed > 0 {
		os.Exit(1)
	}
}
