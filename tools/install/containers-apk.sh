#!/bin/sh
# Alpine; the packages neither start nor enable a service.
set -eu
apk add --no-cache --quiet containerd containerd-ctr runc cni-plugins iptables conntrack-tools iproute2 procps socat util-linux
