#!/bin/sh
# macOS.
set -eu
echo 'buildah needs the kernel of Linux: use a Linux machine' >&2
exit 1
