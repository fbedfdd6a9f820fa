#!/bin/sh
# Builds targets of images/Dockerfile with buildah and compares each with an archive in OCI layout: paths, types, modes,
# owners, links, contents and configuration. Times are not compared. Runs as root in the repository.
# Arguments: the platform of the images, the platform of this machine, the version, the folder of Node's npm package,
# then TARGET=ARCHIVE for each image.
# Downloads and the base image are kept in the folder $CACHE.
set -eu
platform=$1 machine=$2 version=$3 node=$4
shift 4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# vfs copies the whole file system for each step of a build, but works on every kernel.
driver=vfs
grep -qw overlay /proc/filesystems && driver=overlay
run() { buildah --storage-driver "$driver" --root "$CACHE/$driver" --runroot "$work/run" "$@"; }

# Builds a substitute for the official image of Node from packages of the distribution and of npm. The substitute trusts
# the CA certificates of this machine.
base=localhost/svc-asr-build:$("$node/bin/node" --version)
if ! run inspect --type image "$base" >/dev/null 2>&1; then
  suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
  debootstrap --variant=minbase --include=ca-certificates "$suite" "$work/base" >"$work/log" || tail "$work/log" >&2
  cp "$node/bin/node" "$work/base/usr/local/bin/"
  npm install --global --prefix "$work/base/usr/local" --no-audit --no-fund npm@11 >&2
  container=$(run from scratch)
  run copy --quiet "$container" "$work/base" /
  run config --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "$container"
  run commit --quiet --rm "$container" "$base" >&2
fi
# Builds a substitute for the official image of Go.
go=scratch
case " $*" in *" svc-asr-loadtest="*)
  go=localhost/svc-asr-go:$(go env GOVERSION)
  if ! run inspect --type image "$go" >/dev/null 2>&1; then
    container=$(run from scratch)
    run copy --quiet "$container" "$(go env GOROOT)" /usr/local/go
    run commit --quiet --rm "$container" "$go" >&2
  fi
  volumes="--volume $(go env GOMODCACHE):/root/go/pkg/mod --volume $(go env GOCACHE):/root/.cache/go-build"
  ;;
esac

build() {
  # shellcheck disable=SC2086 # several arguments
  run bud --quiet --isolation chroot --layers --identity-label=false --file images/Dockerfile \
    --ignorefile images/Dockerfile.dockerignore --target "$1" --platform "$platform" \
    --build-arg BUILDPLATFORM="$machine" --build-arg NODE_IMAGE="$base" --build-arg GO_IMAGE="$go" --build-arg VERSION="$version" \
    --volume /etc/apt:/etc/apt:ro --volume /etc/ssl/certs:/etc/ssl/certs:ro \
    --volume "$(npm config get cache):/root/.npm" ${volumes:-} --tag "localhost/verify/$1:latest" . >&2
}

describe() {
  container=$(run from --quiet --platform "$platform" "$1")
  folder=$(run mount "$container")
  (
    cd "$folder"
    find . -mindepth 1 -printf '%P %y %m %U:%G %l\n' | LC_ALL=C sort
    find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum
  )
  run inspect "$container" >"$work/inspected"
  "$node/bin/node" -e 'console.log(JSON.parse(require("fs").readFileSync(0)).OCIv1.config)' <"$work/inspected"
  run rm "$container" >/dev/null
}

for pair in "$@"; do
  target=${pair%%=*}
  build "$target"
  describe "localhost/verify/$target:latest" >"$work/dockerfile"
  describe "oci-archive:${pair#*=}" >"$work/archive"
  diff "$work/archive" "$work/dockerfile"
  echo "$target: $(grep -c ' f [0-7]' "$work/archive") files, the same from both builds" >&2
done
# Removes the layers of the build stage. They take gigabytes, and the next change of a source makes them useless.
run rmi --prune --force >/dev/null
