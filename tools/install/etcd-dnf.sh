#!/bin/sh
# Fedora and its kin; the package neither starts nor enables a service.
set -eu
dnf install -y -q etcd
