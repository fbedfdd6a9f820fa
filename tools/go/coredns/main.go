// Command coredns is CoreDNS with only the plugins that the test cluster uses. The standard CoreDNS includes client
// libraries of cloud providers, and takes ten times as long to compile.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/ready"
)

// Plugins handle a DNS query in this order.
var plugins = []string{"bind", "ready", "errors", "kubernetes"}

func main() {
	dnsserver.Directives = plugins
	coremain.Run()
}
