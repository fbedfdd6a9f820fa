#!/bin/sh
# macOS; a formula's service runs only when somebody asks `brew services` for it.
set -eu
brew install --quiet prometheus
