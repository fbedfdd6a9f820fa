#!/bin/sh
# Debian and Ubuntu.
set -eu

# Package lists that cannot all be renewed may still hold what is needed.
apt-get update -qq || echo 'apt-get update failed; continuing with the present package lists' >&2
DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 install -y -qq --no-install-recommends \
  buildah debootstrap
