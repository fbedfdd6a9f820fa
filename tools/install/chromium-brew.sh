#!/bin/sh
# macOS.
set -eu
brew install --quiet --cask chromium
