#!/bin/sh
# Installs Chromium on Debian. On Ubuntu the package is a stub of a snap, which does not work in containers.
set -eu
export DEBIAN_FRONTEND=noninteractive

# Package lists that cannot all be renewed may still hold what is needed.
apt-get update -qq || echo 'apt-get update failed; going on with the package lists that are there' >&2
apt-get -o DPkg::Lock::Timeout=120 install -y -qq --no-install-recommends chromium
