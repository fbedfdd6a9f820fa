#!/bin/sh
# Fedora and its relatives.
set -eu
dnf install -y -q buildah debootstrap
