#!/bin/sh
# Installs packages on Debian and Ubuntu. Arguments: PACKAGE, or PACKAGE=SERVICE for a package with a system service.
# The service is not started, now or at the next boot, because the project starts its own servers.
set -eu
export DEBIAN_FRONTEND=noninteractive

# Old package lists may still be good enough.
apt-get update -qq || echo 'apt-get update failed; continuing with the present package lists' >&2

# invoke-rc.d runs this file before it starts a service; exit status 101 forbids the start.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 755 "$policy"
fi

for argument in "$@"; do
  apt-get -o DPkg::Lock::Timeout=120 install -y -qq --no-install-recommends "${argument%%=*}"
  case $argument in *=*) ;; *) continue ;; esac
  if [ -d /run/systemd/system ]; then
    systemctl disable --now "${argument#*=}" || true
  elif command -v update-rc.d >/dev/null; then
    update-rc.d "${argument#*=}" disable || true
  fi
done
