{{/* The configuration of the chart's Redis. */}}
{{- define "svc-asr.redisConf" -}}
port 6379
bind * -::*
# Everybody has to authenticate: see users.acl.
protected-mode no
aclfile /etc/redis/users/users.acl
dir /data
# Credit is money: every write is on disk before it is acknowledged, and nothing is ever evicted.
appendonly yes
appendfsync always
save ""
maxmemory {{ .Values.redis.maxMemory }}
maxmemory-policy noeviction
{{- end }}

{{/* As a user that may do nothing else, so that no password is needed. */}}
{{- define "svc-asr.redisProbe" -}}
exec:
  command: [{{ .Values.redis.client }}, --user, health, --pass, health, --no-auth-warning, -e, ping]
timeoutSeconds: 5
{{- end }}
