{{/* Settings of the console that the chart sets. */}}
{{- define "svc-asr.consoleSettings" -}}
KUBERNETES: in-cluster
# Probes and the admin Service connect from outside the pod.
ADMIN_HOST: "::"
ADMIN_TOKEN_FILE: /etc/svc-asr/admin/token
API_KEY_PEPPERS_FILE: /etc/svc-asr/api-keys/peppers
CONSOLE_PORT: "8444"
API_URL: {{ include "svc-asr.publicUrl" . | quote }}
TRUSTED_PROXIES: {{ join "," .Values.console.trustedProxies | quote }}
# For administrators who run the svc-asr command in the pod.
SVC_ASR_ADMIN_URL: http://localhost:9090
SVC_ASR_ADMIN_TOKEN_FILE: /etc/svc-asr/admin/token
{{- end }}
