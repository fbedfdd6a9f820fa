{{/* Combinations of values that cannot work. NOTES.txt and the gateway's Deployment ask for it. */}}
{{- define "svc-asr.check" -}}
{{- with .Values.redis }}
{{- $named := and .existingSecrets.gateway .existingSecrets.operator .existingSecrets.worker (or .existingSecrets.console (not $.Values.console.enabled)) }}
{{- if and (not .enabled) (not .external.url) (not .existingSecret) (not $named) }}
{{- fail "redis.enabled is false: set redis.existingSecret (or redis.existingSecrets, or redis.external.url) to say where Redis is" }}
{{- end }}
{{- if and .enabled .external.url }}
{{- fail "redis.external.url is set: set redis.enabled to false to use it" }}
{{- end }}
{{- $any := or .existingSecret .existingSecrets.gateway .existingSecrets.operator .existingSecrets.worker .existingSecrets.console }}
{{- if and .enabled $any (not .aclExistingSecret) }}
{{- fail "redis.existingSecret or redis.existingSecrets names users of your own: set redis.aclExistingSecret to the Secret that defines them in the chart's Redis" }}
{{- end }}
{{- end }}
{{- if and .Values.workerTls.enabled .Values.workerTls.existingSecret (not .Values.workerTls.serverName) }}
{{- fail "workerTls.existingSecret is set: set workerTls.serverName to a name that its certificate carries" }}
{{- end }}
{{- with .Values.gateway.autoscaling }}
{{- if and .enabled (gt (int .minReplicas) (int .maxReplicas)) }}
{{- fail "gateway.autoscaling: minReplicas is above maxReplicas" }}
{{- end }}
{{- end }}
{{- if and (or .Values.gateway.ingress.enabled .Values.gateway.httpRoute.enabled) (not .Values.publicUrl) }}
{{- fail "gateway.ingress or gateway.httpRoute is enabled: set publicUrl to the address that callers use, which sessions name in websocket_url" }}
{{- end }}
{{- if and .Values.publicUrl (hasPrefix "http://" .Values.publicUrl) (ne .Values.tls.mode "none") }}
{{- fail "publicUrl begins with http:// although the gateway speaks TLS: write https://, or set tls.mode to none" }}
{{- end }}
{{- end }}
