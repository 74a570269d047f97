#!/bin/sh
# Makes a virtual environment with packages: python-packages.sh PLACE ARGUMENTS, which are those of `pip install`.
# uv needs a sixth of pip's processor time. It is installed once, into .uv; where that fails, pip does the work.
set -eu
place=$1
shift
uv_version=0.13.8
home="$(cd "$(dirname "$0")/.." && pwd)/.uv"
uv="$home/$uv_version/bin/uv"
quiet='--quiet --disable-pip-version-check --no-input --no-compile'

get_uv() {
  if [ -x "$uv" ]; then return; fi
  mkdir -p "$home" && work=$(mktemp -d -p "$home") || return 1
  # Another process may do the same at this moment; the first one wins.
  if python3 -m pip install $quiet --root-user-action ignore --no-deps --target "$work/new" "uv==$uv_version"; then
    [ -e "$home/$uv_version" ] || mv "$work/new" "$home/$uv_version" || true
  fi
  rm -rf "$work"
  [ -x "$uv" ]
}
with_uv() {
  export UV_CACHE_DIR="$home/cache" UV_NO_CONFIG=1 UV_PYTHON_DOWNLOADS=never
  "$uv" venv --quiet --clear --python python3 "$place" && "$uv" pip install --quiet --python "$place/bin/python" "$@"
}
with_pip() {
  rm -rf "$place"
  python3 -m venv "$place" && "$place/bin/python" -m pip install $quiet "$@"
}

if get_uv && with_uv "$@"; then exit 0; fi
echo 'uv cannot be used here: the packages are installed with pip' >&2
with_pip "$@"
