{{/* Configuration of the bundled Redis. */}}
{{- define "svc-asr.redisConf" -}}
port 6379
bind * -::*
# All clients must authenticate, see users.acl.
protected-mode no
aclfile /etc/redis/users/users.acl
dir /data
# Credit must not be lost. Redis syncs every write to disk before it acknowledges it, and never evicts data.
appendonly yes
appendfsync always
save ""
maxmemory {{ .Values.redis.maxMemory }}
maxmemory-policy noeviction
# The largest record has some kilobytes. A client that was taken over cannot fill the memory with one command.
proto-max-bulk-len 4mb
{{- end }}

{{/* Probe of Redis. The user "health" may only PING, so it needs no secret password. */}}
{{- define "svc-asr.redisProbe" -}}
exec:
  command: [{{ .Values.redis.client }}, --user, health, --pass, health, --no-auth-warning, -e, ping]
timeoutSeconds: 5
{{- end }}
