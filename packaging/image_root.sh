#!/usr/bin/env bash
# Called by mmdebstrap for the image: puts the package into the root folder $1, and takes out what only people read.
set -euo pipefail
root=$1
dpkg-deb -x "$DEB" "$root"
# Debian makes this link when it installs the package (update-alternatives); here nothing is installed.
for library in "$root"/usr/lib/*/blis-serial/libblis.so.4; do
  ln -sf blis-serial/libblis.so.4 "$(dirname "$library")/../libblis.so.4"
done
# The same library under the name of another interface, which nothing here is linked with: 12 MB.
rm -f "$root"/usr/lib/*/blis-serial/libblas.so.3
rm -rf "$root"/usr/share/{man,info,locale,lintian,bash-completion,zsh,fish,gdb,bug,gcc,icu} "$root"/lib/systemd "$root"/usr/lib/*/gconv \
  "$root"/var/lib/{dpkg,apt} "$root"/var/cache/apt "$root"/var/log/*
# Licences stay.
find "$root/usr/share/doc" -type f ! -name copyright -delete
find "$root/usr/share/doc" -type d -empty -delete
mkdir -p "$root"/{tmp,proc,sys,dev,run} "$root/usr/share/sotto"
chmod 1777 "$root/tmp"
printf 'root:x:0:0::/:/usr/sbin/nologin\nsotto:x:65532:65532::/var/lib/sotto:/usr/sbin/nologin\n' >"$root/etc/passwd"
printf 'root:x:0:\nsotto:x:65532:\n' >"$root/etc/group"
install -d -m 0700 -o 65532 -g 65532 "$root/var/lib/sotto" "$root/var/cache/sotto"
if [[ -n ${MODEL:-} ]]; then
  install -D -m 0644 "$MODEL" "$root/usr/share/sotto/model.sotto"
  printf '\nmodel = "/usr/share/sotto/model.sotto"\n' >>"$root/etc/sotto/sotto.toml"
fi
# A library that is missing is told now.
chroot "$root" /usr/bin/sotto --version
