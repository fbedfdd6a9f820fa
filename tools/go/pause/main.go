// Command pause waits for a signal to stop. It is the first process of each pod and keeps the namespaces of the pod
// open. It is also the first process of each node of the test cluster. The kernel ends all other processes of a node
// with it.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGCHLD, syscall.SIGINT, syscall.SIGTERM)
	for received := range signals {
		if received != syscall.SIGCHLD {
			return
		}
		// Orphaned processes become children of the first process. They stay zombies until it waits for them.
		for {
			pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
			if pid <= 0 || err != nil {
				break
			}
		}
	}
}
