#!/usr/bin/env bash
# Installs the command homebase for all users of the container. Needs npm, which the feature "node" or the image brings.
set -euo pipefail

if ! command -v npm > /dev/null; then
  echo "npm is missing: add the feature ghcr.io/devcontainers/features/node, or use an image with Node." >&2
  exit 1
fi
npm install --global --no-audit --no-fund "homebase-stack@${VERSION:-latest}"
