// Command sized-delegate is a CNI plugin that makes no network: it holds as many bytes as its configuration says, for
// as long as it says, as a real plugin does while it waits for its agent.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"
)

type configuration struct {
	CNIVersion       string `json:"cniVersion"`
	Bytes            int    `json:"bytes"`
	HoldMilliseconds int    `json:"holdMilliseconds"`
}

func main() {
	var config configuration
	if err := json.NewDecoder(os.Stdin).Decode(&config); err != nil {
		fmt.Printf(`{"code": 6, "msg": "the configuration is no JSON"}`)
		os.Exit(1)
	}
	switch os.Getenv("CNI_COMMAND") {
	case "VERSION":
		fmt.Printf(`{"cniVersion": %q, "supportedVersions": ["0.3.1", "0.4.0", "1.0.0"]}`, config.CNIVersion)
	case "ADD":
		held := hold(config.Bytes)
		time.Sleep(time.Duration(config.HoldMilliseconds) * time.Millisecond)
		fmt.Printf(`{"cniVersion": %q, "interfaces": [], "ips": [], "dns": {"domain": %q}}`, config.CNIVersion, domain(held))
	}
}

// Memory that is not written to is not there.
func hold(bytes int) []byte {
	held := make([]byte, bytes)
	for at := 0; at < bytes; at += os.Getpagesize() {
		held[at] = 1
	}
	return held
}

// Used after the sleep, so that the memory is held until then.
func domain(held []byte) string {
	return fmt.Sprintf("held-%d", len(held))
}
