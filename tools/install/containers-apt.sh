#!/bin/sh
# Installs what containers run with on Debian and Ubuntu, without containerd's system service.
set -eu

# Package lists that cannot all be renewed may still hold what is needed.
apt-get update -qq || echo 'apt-get update failed; going on with the package lists that are there' >&2
DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 install -y -qq --no-install-recommends \
  runc containernetworking-plugins iptables conntrack iproute2 procps socat util-linux
exec sh "$(dirname "$0")/apt-without-service.sh" containerd=containerd
