#!/bin/sh
# Alpine; the package neither starts nor enables a service.
set -eu
apk add --no-cache --quiet prometheus
