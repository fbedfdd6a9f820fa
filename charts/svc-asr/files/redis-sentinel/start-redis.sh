#!/bin/sh
# Starts a server of the replicated Redis as primary or replica. Environment: NODES (host names of all servers), SELF
# (host name of this server), SERVER and CLIENT (programs), CONF, SECRETS, TLS and DATA (folders).
set -eu
# Without a trap, the shell would ignore SIGTERM while it waits, because it is the first process of its container.
trap 'exit 143' TERM
export REDISCLI_AUTH="$(cat "$SECRETS/sentinel-password")"
mkdir -p "$DATA/node"
conf="$DATA/node/redis.conf"

# Prints the primary that a sentinel of another pod reports, or nothing.
reported() {
  for node in $NODES; do
    [ "$node" = "$SELF" ] && continue
    answer="$(timeout 3 "$CLIENT" --tls --cacert "$TLS/ca.crt" -h "$node" -p 26379 --user sentinel --no-auth-warning \
      sentinel get-master-addr-by-name ledger 2>/dev/null || true)"
    for host in $answer; do
      for known in $NODES; do
        [ "$host" = "$known" ] && echo "$host" && return
      done
      break
    done
  done
}

# If no sentinel answers, the server keeps its last role, which Sentinel has written to the configuration. At the first
# start of the installation, the first node is the primary.
primary="${NODES%% *}"
if [ -f "$conf" ]; then
  primary="$SELF"
  while read -r word host rest; do
    [ "$word" = replicaof ] && primary="$host"
  done <"$conf"
fi
found="$(reported)"
# An empty primary would empty its replicas. A primary that lost its data therefore waits until Sentinel promotes
# another server.
while [ "$found" = "$SELF" ] && [ ! -e "$DATA/appendonlydir" ]; do
  echo "This server is the primary but has no data. Waiting for a failover."
  sleep 1
  found="$(reported)"
done
primary="${found:-$primary}"

has_data() {
  for file in "$DATA"/appendonlydir/*.incr.aof; do
    [ -s "$file" ] && return
  done
  # After Redis has rewritten its append-only file, all data is in the base file. The base file of an empty database is
  # much shorter than 1 KiB.
  for file in "$DATA"/appendonlydir/*.base.rdb; do
    [ -e "$file" ] && [ "$(wc -c <"$file")" -gt 1024 ] && return
  done
  return 1
}

# Prints full, empty, or nothing if the primary does not answer.
content_of_primary() {
  keys="$(timeout 3 "$CLIENT" --tls --cacert "$TLS/ca.crt" -h "$primary" -p 6379 --user sentinel --no-auth-warning \
    info keyspace 2>/dev/null || true)"
  case "$keys" in
    *db0:*) echo full ;;
    *Keyspace*) echo empty ;;
  esac
}

# A replica copies its primary, even an empty one. If all pods have stopped and the primary has lost its volume, the
# other servers have the only copies. A replica with data therefore waits while the primary is empty. If the primary
# does not answer, this loop ends after 30 attempts, because Sentinel can replace the primary only after this server has
# started.
silent=0
while [ "$primary" != "$SELF" ] && has_data && [ "$silent" -lt 30 ]; do
  case "$(content_of_primary)" in
    full) break ;;
    empty) echo "This server has data, but the primary $primary is empty. Restore its data from this server." ;;
    *) silent=$((silent + 1)) ;;
  esac
  sleep 1
  found="$(reported)"
  primary="${found:-$primary}"
done

{
  echo "include $CONF/redis.conf"
  echo "include $SECRETS/replication.conf"
  echo "replica-announce-ip $SELF"
  [ "$primary" = "$SELF" ] || echo "replicaof $primary 6379"
} >"$conf"
unset REDISCLI_AUTH
echo "Starting with the primary $primary"
exec "$SERVER" "$conf"
