#!/usr/bin/env bash
# The inbox's commands over TLS, on a PostgreSQL of its own: a server whose certificate is of a known authority is reached,
# one that is not is refused, and without TLS there is no way in. Needs `openssl` and a PostgreSQL server.
set -euo pipefail
cd "$(dirname "$0")/../../.."

cargo build --locked --quiet -p hookproof-cli --features tls
hookproof=$(cargo metadata --no-deps --locked --format-version 1 | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')/debug/hookproof

keys=$(mktemp -d)
trap 'rm -rf "$keys"' EXIT
chmod 755 "$keys"
authority() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=$1" \
        -keyout "$keys/$1.key" -out "$keys/$1.pem" 2>/dev/null
}
authority ours
authority other
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -keyout "$keys/server.key" \
    -out "$keys/server.csr" 2>/dev/null
openssl x509 -req -in "$keys/server.csr" -CA "$keys/ours.pem" -CAkey "$keys/ours.key" -CAcreateserial -days 2 \
    -extfile <(echo 'subjectAltName=DNS:localhost') -out "$keys/server.pem" 2>/dev/null
chmod 600 "$keys/server.key"
if [ "$(id -u)" = 0 ]; then chown postgres "$keys/server.key"; fi

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
export POSTGRES_OPTIONS="-c listen_addresses=localhost -c port=$port -c ssl=on -c ssl_cert_file=$keys/server.pem -c ssl_key_file=$keys/server.key"
export hookproof keys port
crates/inbox-sqlx/tests/postgres/run bash -c '
set -euo pipefail
url="postgres://postgres@localhost:$port/postgres"
printf "local all all trust\nhostnossl all all all reject\nhostssl all all all trust\n" >"$HOOKPROOF_TEST_POSTGRES_DATA/pg_hba.conf"
bash "$HOOKPROOF_TEST_POSTGRES_CONTROL" crash
bash "$HOOKPROOF_TEST_POSTGRES_CONTROL" start
ask() { "$hookproof" inbox --database "$url?sslmode=$1&sslrootcert=$keys/$2.pem" "${@:3}"; }
refused() {
    if ask "$1" "$2" list >"$keys/out" 2>&1; then echo "$1 with $2 was let in"; exit 1; fi
    grep -q "$3" "$keys/out" || { cat "$keys/out"; exit 1; }
    echo "$1, $2: $(cat "$keys/out")"
}
ask verify-full ours migrate
ask verify-full ours list
refused verify-full other certificate
refused disable ours "cannot connect"
echo "over TLS: passed"
'
