#!/bin/sh
# Installs the named packages on Debian and Ubuntu without starting their services: the benchmark starts its own.
set -eu
export DEBIAN_FRONTEND=noninteractive

# Package lists that cannot all be renewed may still hold what is needed.
apt-get update -qq || echo 'apt-get update failed; going on with the package lists that are there' >&2

# invoke-rc.d asks this file before it starts a service; 101 means no. One that is there already is left alone.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 755 "$policy"
fi
apt-get install -y -qq --no-install-recommends "$@"

# Nor at the next boot.
for service in haproxy nginx; do
  if [ -d /run/systemd/system ]; then
    systemctl disable --now "$service" || true
  elif command -v update-rc.d >/dev/null; then
    update-rc.d "$service" disable || true
  fi
done
