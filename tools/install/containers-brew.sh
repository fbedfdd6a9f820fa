#!/bin/sh
# macOS has no containers of its own.
set -eu
echo 'a cluster needs the kernel of Linux: use a Linux machine' >&2
exit 1
