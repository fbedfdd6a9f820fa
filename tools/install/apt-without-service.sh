#!/bin/sh
# Installs packages on Debian and Ubuntu without starting the system services that they bring: the project starts
# servers of its own. Arguments: for each package its name and that of its service, as PACKAGE=SERVICE.
set -eu
export DEBIAN_FRONTEND=noninteractive

# invoke-rc.d asks this file before it starts a service; 101 means no. One that is there already is left alone.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 755 "$policy"
fi

for pair in "$@"; do
  apt-get -o DPkg::Lock::Timeout=120 install -y -qq --no-install-recommends "${pair%%=*}"
  # Nor at the next boot.
  if [ -d /run/systemd/system ]; then
    systemctl disable --now "${pair#*=}" || true
  elif command -v update-rc.d >/dev/null; then
    update-rc.d "${pair#*=}" disable || true
  fi
done
