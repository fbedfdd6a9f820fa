#!/bin/sh
# Installs the named packages on Debian and Ubuntu without starting their services. The benchmark starts its own.
set -eu
export DEBIAN_FRONTEND=noninteractive

# If the update fails, the existing package lists may still contain the packages.
apt-get update -qq || echo 'apt-get update failed; continuing with the existing package lists' >&2

# invoke-rc.d runs this file before it starts a service. Status 101 forbids the start. An existing file is kept.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 755 "$policy"
fi
apt-get install -y -qq --no-install-recommends "$@"

# Keeps the services from starting at the next boot.
for service in haproxy nginx; do
  if [ -d /run/systemd/system ]; then
    systemctl disable --now "$service" || true
  elif command -v update-rc.d >/dev/null; then
    update-rc.d "$service" disable || true
  fi
done
