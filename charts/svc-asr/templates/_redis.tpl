{{/* Name of the Secret whose key `url` is the Redis URL of a component. Takes (dict "root" $ "component" NAME). */}}
{{- define "svc-asr.redisSecret" -}}
{{- $redis := .root.Values.redis }}
{{- $own := printf "%s-redis-%s" (include "svc-asr.fullname" .root) .component }}
{{- default (default $own $redis.existingSecret) (index $redis.existingSecrets .component) }}
{{- end }}

{{/* Redis users of the workers: "model" (one user for each model) or "shared" (one user for all workers). */}}
{{- define "svc-asr.workerUsers" -}}
{{- with .Values.redis }}
{{- default (ternary "model" "shared" (and .enabled (not .aclExistingSecret))) .workerUsers }}
{{- end }}
{{- end }}

{{/*
Components whose Redis user and Secret the chart creates, separated by spaces. With workerUsers "model", the operator
creates the users and Secrets of the workers.
*/}}
{{- define "svc-asr.redisComponents" -}}
gateway operator {{ ternary "worker " "" (eq (include "svc-asr.workerUsers" .) "shared") }}console
{{- end }}

{{/* Name of the Secret with the users of the bundled Redis. */}}
{{- define "svc-asr.redisAclSecret" -}}
{{ default (printf "%s-redis-acl" (include "svc-asr.fullname" .)) .Values.redis.aclExistingSecret }}
{{- end }}

{{/* Host name of the bundled Redis. */}}
{{- define "svc-asr.redisHost" -}}
{{ include "svc-asr.fullname" . }}-redis.{{ .Release.Namespace }}.svc
{{- end }}

{{/* Host names of the servers of the replicated Redis, as JSON. */}}
{{- define "svc-asr.redisNodes" -}}
{{- $hosts := list }}
{{- range $pod := until 3 }}
{{- $hosts = append $hosts (printf "%s-redis-%d.%s.svc" (include "svc-asr.fullname" $) $pod $.Release.Namespace) }}
{{- end }}
{{- toJson $hosts }}
{{- end }}

{{/* Name of the Secret with the CA of Redis, or empty if only publicly trusted CAs are accepted. */}}
{{- define "svc-asr.redisCaSecret" -}}
{{- if and .Values.redis.enabled .Values.redis.sentinel.enabled -}}
{{ include "svc-asr.fullname" . }}-redis-ca
{{- else -}}
{{ .Values.redis.caSecret }}
{{- end }}
{{- end }}

{{/* ACL rules of a Redis user, from files/redis-users, with the key prefix of this installation. Takes "root" and "user". */}}
{{- define "svc-asr.redisRights" -}}
{{- $words := list }}
{{- range splitList "\n" (.root.Files.Get (printf "files/redis-users/%s.acl" .user)) }}
{{- if and (trim .) (not (hasPrefix "#" (trim .))) }}
{{- $words = append $words (trim .) }}
{{- end }}
{{- end }}
{{- join " " $words | replace "PREFIX" .root.Values.redis.keyPrefix }}
{{- end }}
