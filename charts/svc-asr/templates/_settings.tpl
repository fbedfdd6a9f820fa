{{/* Renders a map of settings as environment variables. Numbers are written out, not as 1e+06. */}}
{{- define "svc-asr.env" -}}
{{- range $name, $value := . }}
- name: {{ $name }}
  value: {{ ternary $value (toJson $value) (kindIs "string" $value) | quote }}
{{- end }}
{{- end }}

{{/* Settings of every service. */}}
{{- define "svc-asr.serviceSettings" -}}
ADMIN_PORT: "9090"
REDIS_URL_FILE: /etc/svc-asr/redis/url
REDIS_KEY_PREFIX: {{ .Values.redis.keyPrefix | quote }}
{{- if include "svc-asr.redisCaSecret" . }}
NODE_EXTRA_CA_CERTS: /etc/svc-asr/redis-ca/ca.crt
{{- end }}
{{- with .Values.telemetry.otlpEndpoint }}
OTEL_EXPORTER_OTLP_ENDPOINT: {{ . | quote }}
{{- end }}
{{- end }}

{{/* Environment of a component. The values override the settings of the component, which override the shared ones. */}}
{{- define "svc-asr.environment" -}}
{{- $values := index .root.Values .component }}
{{- $own := include (printf "svc-asr.%sSettings" .component) .root | fromYaml }}
{{- $all := include "svc-asr.serviceSettings" .root | fromYaml }}
env:
  {{- include "svc-asr.env" (mergeOverwrite (dict) $all $own $values.settings) | nindent 2 }}
  {{- with $values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{/* Mounts and volumes of every service: the URL of Redis and its CA. */}}
{{- define "svc-asr.serviceMounts" -}}
- name: redis
  mountPath: /etc/svc-asr/redis
  readOnly: true
{{- if include "svc-asr.redisCaSecret" . }}
- name: redis-ca
  mountPath: /etc/svc-asr/redis-ca
  readOnly: true
{{- end }}
{{- end }}

{{- define "svc-asr.serviceVolumes" -}}
- name: redis
  secret:
    secretName: {{ include "svc-asr.redisSecret" . }}
    items: [{key: url, path: url}]
    defaultMode: {{ include "svc-asr.secretMode" .root }}
{{- with include "svc-asr.redisCaSecret" .root }}
- name: redis-ca
  secret:
    secretName: {{ . }}
    items: [{key: ca.crt, path: ca.crt}]
    defaultMode: {{ include "svc-asr.secretMode" $.root }}
{{- end }}
{{- end }}
