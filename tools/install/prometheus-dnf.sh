#!/bin/sh
# Fedora and its kin, whose releases do not agree on the package's name; it neither starts nor enables a service.
set -eu
dnf install -y -q /usr/bin/prometheus /usr/bin/promtool
