#!/bin/sh
# Installs Prometheus and promtool on Debian and Ubuntu, without their system service.
set -eu

# Package lists that cannot all be renewed may still hold what is needed.
apt-get update -qq || echo 'apt-get update failed; going on with the package lists that are there' >&2
exec sh "$(dirname "$0")/apt-without-service.sh" prometheus=prometheus
