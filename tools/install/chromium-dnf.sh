#!/bin/sh
# Fedora and its kin.
set -eu
dnf install -y -q chromium
