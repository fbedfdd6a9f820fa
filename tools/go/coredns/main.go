// Command coredns is CoreDNS with the plugins that the test cluster uses. The usual one has the clients of every
// cloud in it, which take ten times as long to compile.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/ready"
)

// Plugins handle a question in this order.
var plugins = []string{"bind", "ready", "errors", "kubernetes"}

func main() {
	dnsserver.Directives = plugins
	coremain.Run()
}
