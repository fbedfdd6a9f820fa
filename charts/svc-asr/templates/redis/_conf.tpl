{{/* Configuration of the bundled Redis. */}}
{{- define "svc-asr.redisConf" -}}
{{- if .Values.redis.sentinel.enabled -}}
port 0
tls-port 6379
{{ include "svc-asr.redisTlsConf" . }}
# A primary that is separated from its replicas accepts writes only for some seconds. A failover loses these writes.
min-replicas-to-write 1
min-replicas-max-lag 5
# A new replica gets the data immediately. By default, the primary would first wait some seconds for further replicas.
# Without another replica, it would accept no writes in that time.
repl-diskless-sync-delay 0
{{- else -}}
port 6379
{{- end }}
bind * -::*
# All clients must authenticate, see users.acl.
protected-mode no
aclfile /etc/redis/users/users.acl
dir /data
# Credit must not be lost. Redis syncs every write to disk before it acknowledges the write, and never evicts data.
appendonly yes
appendfsync always
save ""
maxmemory {{ .Values.redis.maxMemory }}
maxmemory-policy noeviction
# The largest record has some kilobytes. The limit prevents that a compromised client fills the memory with one command.
proto-max-bulk-len 4mb
{{- end }}

{{/* TLS of servers and sentinels. Clients authenticate by user and password. */}}
{{- define "svc-asr.redisTlsConf" -}}
tls-cert-file /etc/redis/tls/tls.crt
tls-key-file /etc/redis/tls/tls.key
tls-ca-cert-file /etc/redis/tls/ca.crt
tls-auth-clients no
tls-replication yes
{{- end }}

{{/* Configuration of the sentinels. */}}
{{- define "svc-asr.sentinelConf" -}}
port 0
tls-port 26379
{{ include "svc-asr.redisTlsConf" . }}
bind * -::*
protected-mode no
# Certificates are for host names, so Sentinel reports names instead of addresses.
sentinel resolve-hostnames yes
sentinel announce-hostnames yes
{{- end }}

{{/* Options of the primary that the sentinels monitor. These options must follow the directive that names the
primary. */}}
{{- define "svc-asr.sentinelPrimaryConf" -}}
sentinel down-after-milliseconds ledger 5000
sentinel failover-timeout ledger 30000
sentinel parallel-syncs ledger 1
{{- end }}

{{/* Probe of Redis. The user "health" may only PING, so it needs no secret password. */}}
{{- define "svc-asr.redisProbe" -}}
exec:
  command: [{{ .Values.redis.client }}, {{ if .Values.redis.sentinel.enabled }}--tls, --cacert, /etc/redis/tls/ca.crt, {{ end }}--user, health, --pass, health, --no-auth-warning, -e, ping]
timeoutSeconds: 5
{{- end }}

{{/*
Container of a sentinel. At its first start, the sentinel waits until the server of its pod has copied the data. With a
readiness probe of the sentinel, the pod would not be ready until then, and Kubernetes would not start the next pod. The
container therefore has no readiness probe.
*/}}
{{- define "svc-asr.sentinelContainer" -}}
{{- with .Values.redis }}
- name: sentinel
  image: {{ include "svc-asr.image" (dict "root" $ "image" .image) | quote }}
  imagePullPolicy: {{ default $.Values.image.pullPolicy .image.pullPolicy }}
  command: [sh, /etc/redis/conf/start-sentinel.sh]
  env:
    {{- include "svc-asr.redisNodeEnv" $ | nindent 4 }}
  ports:
    - {name: sentinel, containerPort: 26379, protocol: TCP}
  livenessProbe:
    exec:
      command:
        - sh
        - -c
        - test ! -e /data/sentinel/started || {{ .client }} --tls --cacert /etc/redis/tls/ca.crt -p 26379 --user health --pass health --no-auth-warning -e ping
    periodSeconds: 10
    timeoutSeconds: 5
    failureThreshold: 6
  resources:
    {{- toYaml .sentinel.resources | nindent 4 }}
  securityContext:
    {{- include "svc-asr.containerSecurity" $ | nindent 4 }}
  volumeMounts:
    - {name: data, mountPath: /data}
    - {name: conf, mountPath: /etc/redis/conf, readOnly: true}
    - {name: nodes, mountPath: /etc/redis/nodes, readOnly: true}
    - {name: tls, mountPath: /etc/redis/tls, readOnly: true}
{{- end }}
{{- end }}

{{/* Environment of the scripts that start servers and sentinels. */}}
{{- define "svc-asr.redisNodeEnv" -}}
- name: POD_NAME
  valueFrom: {fieldRef: {fieldPath: metadata.name}}
- {name: SELF, value: $(POD_NAME).{{ .Release.Namespace }}.svc}
- {name: NODES, value: {{ include "svc-asr.redisNodes" . | fromJsonArray | join " " | quote }}}
- {name: SERVER, value: {{ .Values.redis.program }}}
- {name: CLIENT, value: {{ .Values.redis.client }}}
- {name: CONF, value: /etc/redis/conf}
- {name: SECRETS, value: /etc/redis/nodes}
- {name: TLS, value: /etc/redis/tls}
- {name: DATA, value: /data}
{{- end }}
