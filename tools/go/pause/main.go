// Command pause does nothing until it is told to stop. It is the first process of a pod, which holds the pod's
// namespaces, and of a node of the test cluster, whose other processes end with it.
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
		// Processes whose parent has ended belong to the first one; the kernel keeps them until somebody asks.
		for {
			pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
			if pid <= 0 || err != nil {
				break
			}
		}
	}
}
