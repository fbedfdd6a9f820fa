{{/* Settings of the gateway that the chart sets. */}}
{{- define "svc-asr.gatewaySettings" -}}
PORT: "8443"
PUBLIC_URL: {{ include "svc-asr.publicUrl" . | quote }}
{{- with include "svc-asr.consoleUrl" . }}
CONSOLE_URL: {{ . | quote }}
{{- end }}
TRUSTED_PROXIES: {{ join "," .Values.gateway.trustedProxies | quote }}
API_KEY_PEPPERS_FILE: /etc/svc-asr/api-keys/peppers
SESSION_SECRETS_FILE: /etc/svc-asr/sessions/secrets
WORKER_TICKET_KEY_FILE: /etc/svc-asr/tickets/ticket.key
LEDGER_ID_FILE: /etc/svc-asr/ledger/id
STREAM_MEMORY_MIB: {{ int .Values.gateway.streamMemoryMiB | quote }}
DRAIN_DELAY_MS: {{ mul 1000 (int .Values.gateway.drainDelaySeconds) | quote }}
STOP_GRACE_MS: {{ mul 1000 (include "svc-asr.gatewayStopSeconds" . | int) | quote }}
{{- if ne .Values.tls.mode "none" }}
TLS_CERT_FILE: /etc/svc-asr/tls/tls.crt
TLS_KEY_FILE: /etc/svc-asr/tls/tls.key
{{- end }}
{{- if include "svc-asr.playground" . }}
INTERNAL_PORT: "9444"
INTERNAL_TLS_CERT_FILE: /etc/svc-asr/internal-tls/tls.crt
INTERNAL_TLS_KEY_FILE: /etc/svc-asr/internal-tls/tls.key
{{- end }}
{{- if .Values.workerTls.enabled }}
WORKER_CA_FILE: /etc/svc-asr/worker-ca/ca.crt
WORKER_SERVER_NAME: {{ include "svc-asr.workerServerName" . | quote }}
{{- end }}
{{- end }}

{{/* URL of the console for browsers. Empty if there is no console, or if its host is not known. */}}
{{- define "svc-asr.consoleUrl" -}}
{{- with .Values.console }}
{{- $hosts := list }}
{{- if .ingress.enabled }}{{ $hosts = append $hosts .ingress.host }}{{ end }}
{{- if .httpRoute.enabled }}{{ $hosts = concat $hosts .httpRoute.hostnames }}{{ end }}
{{- $url := .url }}
{{- range $hosts }}
{{- if and . (not (hasPrefix "*" .)) (not $url) }}{{ $url = printf "https://%s" . }}{{ end }}
{{- end }}
{{- if .enabled }}{{ $url }}{{ end }}
{{- end }}
{{- end }}

{{/* Time that a terminating gateway gets, in seconds: the longest stream, and a margin to settle and close. */}}
{{- define "svc-asr.gatewayStopSeconds" -}}
{{ add 20 (int .Values.gateway.longestStreamSeconds) }}
{{- end }}

{{/*
Target of the autoscaler in bytes of reserved audio per pod. A pod accepts a stream only if the longest session
(9,600,000 bytes) still fits. The chart therefore subtracts these bytes from streamMemoryMiB. The target is a share of
the result.
*/}}
{{- define "svc-asr.gatewayAudioTarget" -}}
{{- $refusing := sub (mul 1048576 (int .Values.gateway.streamMemoryMiB)) 9600000 }}
{{- div (mul $refusing (int .Values.gateway.autoscaling.audioMemory.percent)) 100 }}
{{- end }}
