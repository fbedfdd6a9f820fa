#!/bin/sh
# Fedora and its kin; the packages neither start nor enable a service.
set -eu
dnf install -y -q containerd runc containernetworking-plugins iptables-nft conntrack-tools iproute procps-ng socat util-linux
