#!/bin/sh
# Installs redis-server or valkey-server (7 or newer) on Debian and Ubuntu, without their system service.
set -eu

# Package lists that cannot all be renewed may still hold what is needed.
apt-get update -qq || echo 'apt-get update failed; going on with the package lists that are there' >&2

for name in redis-server valkey-server; do
  candidate=$(apt-cache policy "$name" | sed -n 's/^  Candidate: //p')
  case "$candidate" in '' | '(none)') continue ;; esac
  if dpkg --compare-versions "${candidate#*:}" ge 7; then
    exec sh "$(dirname "$0")/apt-without-service.sh" "$name=$name"
  fi
done
echo 'this release carries neither redis-server nor valkey-server in version 7 or newer' >&2
exit 1
