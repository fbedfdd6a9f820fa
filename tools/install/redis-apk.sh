#!/bin/sh
# Alpine; its packages neither start nor enable a service.
set -eu
apk add --no-cache --quiet valkey || apk add --no-cache --quiet redis
