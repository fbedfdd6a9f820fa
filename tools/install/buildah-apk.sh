#!/bin/sh
# Alpine.
set -eu
apk add --no-cache --quiet buildah debootstrap
