#!/usr/bin/env bash
# The OCI image, made without a daemon: mmdebstrap fetches the libraries, umoci writes the layout.
# Usage: image.sh SOTTO.deb OUT. Writes OUT/sotto-image.tar (`podman load -i`, `skopeo copy oci-archive:`) and prints sizes.
# MODEL=FILE puts a model into the image. SOURCES names the apt sources (default: those of this machine).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
deb=$(realpath "$1")
out=$(realpath -m "$2")
work=$out/image-work
rm -rf "$work" "$out/sotto-image.tar"
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT

version=$(dpkg-deb -f "$deb" Version)
SOURCE_DATE_EPOCH=$(git -C "$here" log -1 --format=%ct 2>/dev/null || stat -c %Y "$here/image.sh")
export SOURCE_DATE_EPOCH
# The libraries without their versions, and libpq5 for a ledger in PostgreSQL: nobody can add it to the image later.
packages=$(dpkg-deb -f "$deb" Depends | tr ',' '\n' | awk '{ printf "%s,", $1 }')libpq5
shopt -s nullglob
sources=(${SOURCES:-/etc/apt/sources.list /etc/apt/sources.list.d/*.sources})
existing=()
for file in "${sources[@]}"; do [[ -s $file ]] && existing+=("$file"); done

# `extract`: files only. No shell, no apt and no dpkg are in the image.
DEB=$deb MODEL=${MODEL:-} mmdebstrap --quiet --variant=extract --include="$packages" \
  --extract-hook="$here/image_root.sh \"\$1\"" bookworm "$work/root.tar" "${existing[@]}"

umoci=(umoci --log=error)
# The reference is the whole name: `podman load` calls the image localhost/sotto:VERSION.
image=$work/layout:sotto:$version
"${umoci[@]}" init --layout "$work/layout"
"${umoci[@]}" new --image "$image"
"${umoci[@]}" raw add-layer --image "$image" "$work/root.tar"
"${umoci[@]}" config --image "$image" \
  --created "$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)" --author "The Sotto authors" \
  --config.user 65532:65532 --config.workingdir / \
  --config.entrypoint /usr/bin/sotto --config.cmd serve --config.cmd --config --config.cmd /etc/sotto/sotto.toml \
  --config.env PATH=/usr/bin --config.env HOME=/var/lib/sotto --config.env XDG_STATE_HOME=/var/lib/sotto \
  --config.env XDG_CACHE_HOME=/var/cache/sotto \
  --config.exposedports 7411/tcp --config.volume /var/lib/sotto --config.volume /var/cache/sotto --config.stopsignal SIGTERM \
  --config.label org.opencontainers.image.title=sotto --config.label "org.opencontainers.image.version=$version" \
  --config.label org.opencontainers.image.licenses=MIT \
  --config.label "io.sotto.healthcheck=/usr/bin/sotto serve --check --config /etc/sotto/sotto.toml"
tar -C "$work/layout" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -cf "$out/sotto-image.tar" .
echo "$out/sotto-image.tar: $(du -m "$out/sotto-image.tar" | cut -f1) MB, unpacked $(du -m "$work/root.tar" | cut -f1) MB"
