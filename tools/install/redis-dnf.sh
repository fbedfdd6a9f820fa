#!/bin/sh
# Fedora and its kin; their packages neither start nor enable a service.
set -eu
dnf install -y -q valkey || dnf install -y -q redis
