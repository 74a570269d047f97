#!/bin/sh
# Creates the certificates that the tests serve. They name only test hosts, and only the tests trust them.
# The authority's key is thrown away: to add a name, run this again and keep all the new files together.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat > "$work/ca.cnf" <<CONFIG
[ca]
default_ca = test
[test]
database = $work/index
new_certs_dir = $work
rand_serial = yes
unique_subject = no
default_md = sha256
policy = any
[any]
commonName = supplied
[authority]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign
subjectKeyIdentifier = hash
[server]
basicConstraints = CA:FALSE
extendedKeyUsage = serverAuth
subjectAltName = DNS:shop.example.test,DNS:*.example.test,DNS:localhost,IP:127.0.0.1,IP:::1
CONFIG
: > "$work/index"

new_key() { openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt -out "$1"; }
request() { openssl req -new -key "$1" -subj "/CN=$2" -out "$3"; }
# Dates are fixed, so that a machine whose clock is behind this one's accepts the certificates too.
sign() { openssl ca -batch -notext -config "$work/ca.cnf" -startdate 20200101000000Z "$@" 2>> "$work/log"; }
century='-enddate 21200101000000Z'

new_key "$work/ca.key"
request "$work/ca.key" 'svc test authority' "$work/ca.csr"
sign -selfsign -keyfile "$work/ca.key" $century -extensions authority -in "$work/ca.csr" -out ca.crt

new_key server.key
request server.key 'svc test server' "$work/server.csr"
by_authority="-cert ca.crt -keyfile $work/ca.key -extensions server"
sign $by_authority $century -in "$work/server.csr" -out server.crt
sign $by_authority -enddate 20200102000000Z -in "$work/server.csr" -out expired.crt
sign -selfsign -keyfile server.key $century -extensions server -in "$work/server.csr" -out self-signed.crt
chmod 644 server.key
