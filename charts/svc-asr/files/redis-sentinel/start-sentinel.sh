#!/bin/sh
# Starts the sentinel of a pod. The environment is that of start-redis.sh.
set -eu
# Without a trap, the shell would ignore SIGTERM while it waits, because it is the first process of its container.
trap 'exit 143' TERM
export REDISCLI_AUTH="$(cat "$SECRETS/sentinel-password")"
mkdir -p "$DATA/sentinel"
conf="$DATA/sentinel/sentinel.conf"
rm -f "$DATA/sentinel/started"

# A sentinel could promote a replica that has never copied the data. At its first start, the sentinel therefore waits
# until the server of its pod has copied the data.
primary=""
while [ ! -f "$conf" ]; do
  info="$(timeout 3 "$CLIENT" --tls --cacert "$TLS/ca.crt" -h "$SELF" -p 6379 --user sentinel --no-auth-warning \
    info replication 2>/dev/null || true)"
  case "$info" in
    *role:master*) primary="$SELF" && break ;;
    *master_link_status:up*)
      primary="${info#*master_host:}"
      primary="${primary%%[!A-Za-z0-9.-]*}"
      break
      ;;
  esac
  sleep 1
done

# Sentinel keeps its state in its configuration: its id, epochs, the primary, and the other servers and sentinels.
monitor="sentinel monitor ledger $primary 6379 2"
kept=""
if [ -f "$conf" ]; then
  while read -r line; do
    case "$line" in
      'sentinel monitor ledger '*) monitor="$line" ;;
      'sentinel myid '* | 'sentinel current-epoch '* | 'sentinel config-epoch '* | 'sentinel leader-epoch '* | \
        'sentinel known-replica '* | 'sentinel known-sentinel '*) kept="$kept$line
" ;;
    esac
  done <"$conf"
fi
{
  cat "$CONF/sentinel.conf"
  echo "dir $DATA/sentinel"
  echo "sentinel announce-ip $SELF"
  echo "$monitor"
  cat "$CONF/sentinel-primary.conf" "$SECRETS/sentinel.conf"
  echo "$kept"
} >"$conf.new"
mv "$conf.new" "$conf"
unset REDISCLI_AUTH
touch "$DATA/sentinel/started"
exec "$SERVER" "$conf" --sentinel
