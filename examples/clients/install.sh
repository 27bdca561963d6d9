#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fetches a sheet from a market with curl, and checks it with sha256sum: install.sh SERVER SHEET [FOLDER]
# SHEET is a sheet's name in addresses. Needs curl, jq and sha256sum.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '3,4s/^# //p' "$0" >&2; exit 2; }
server=${1%/} sheet=$2 folder=${3:-.}

# A ticket: a signed address that is good for some minutes, and what its bytes must be.
ticket=$(curl --fail-with-body -sS "$server/api/v1/templates/$sheet/versions/latest/download?redirect=false") ||
    { jq -r '.detail // .title' <<<"$ticket" >&2; exit 1; }
hash=$(jq -r .sha256 <<<"$ticket")
# It goes into a path: it must not lead anywhere.
[[ $hash =~ ^[0-9a-f]{64}$ ]] || { echo "$server names no SHA-256 of $sheet." >&2; exit 1; }
# The name is the author's: what could lead out of the folder goes.
name=$(jq -r '.fileName | gsub("[/\\x00-\\x1f]"; "_") | ltrimstr(".")' <<<"$ticket")
url=$(jq -r .url <<<"$ticket")
[[ $url == http* ]] || url=$server$url

part=$folder/.$hash.part
trap 'rm -f "$part"' EXIT
curl --fail -sSL -o "$part" "$url"
sha256sum --check --quiet <<<"$hash  $part" || { echo "$sheet arrived damaged, or is not what was promised." >&2; exit 1; }
mv "$part" "$folder/$name"
printf '%s %s\n' "$folder/$name" "$(jq -r .version <<<"$ticket")"
