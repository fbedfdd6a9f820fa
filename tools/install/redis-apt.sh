#!/bin/sh
# Installs redis-server or valkey-server (7 or newer) on Debian and Ubuntu, without their system service: the project
# starts a server of its own.
set -eu
export DEBIAN_FRONTEND=noninteractive

# Package lists that cannot all be renewed may still hold what is needed.
apt-get update -qq || echo 'apt-get update failed; going on with the package lists that are there' >&2

package=''
for name in redis-server valkey-server; do
  candidate=$(apt-cache policy "$name" | sed -n 's/^  Candidate: //p')
  case "$candidate" in '' | '(none)') continue ;; esac
  if dpkg --compare-versions "${candidate#*:}" ge 7; then
    package=$name
    break
  fi
done
if [ -z "$package" ]; then
  echo 'this release carries neither redis-server nor valkey-server in version 7 or newer' >&2
  exit 1
fi

# invoke-rc.d asks this file before it starts a service; 101 means no. One that is there already is left alone.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 755 "$policy"
fi
apt-get install -y -qq --no-install-recommends "$package"

# Nor at the next boot.
if [ -d /run/systemd/system ]; then
  systemctl disable --now "$package" || true
elif command -v update-rc.d >/dev/null; then
  update-rc.d "$package" disable || true
fi
