{{/* Settings of the console that the chart sets. */}}
{{- define "svc-asr.consoleSettings" -}}
KUBERNETES: in-cluster
OPERATOR_LEASE_NAME: {{ include "svc-asr.fullname" . }}-operator
ADMIN_TOKEN_FILE: /etc/svc-asr/admin/token
API_KEY_PEPPERS_FILE: /etc/svc-asr/api-keys/peppers
# This port is open only on loopback. `kubectl exec` and `kubectl port-forward` can reach it.
ADMIN_API_PORT: "9091"
{{- if .Values.console.adminApi.enabled }}
ADMIN_API_TLS_PORT: "9443"
ADMIN_API_TLS_CERT_FILE: /etc/svc-asr/admin-api-tls/tls.crt
ADMIN_API_TLS_KEY_FILE: /etc/svc-asr/admin-api-tls/tls.key
{{- end }}
CONSOLE_PORT: "8444"
API_URL: {{ include "svc-asr.publicUrl" . | quote }}
{{- if include "svc-asr.playground" . }}
GATEWAY_INTERNAL_URL: https://{{ include "svc-asr.gatewayInternalHost" . }}:9444
GATEWAY_INTERNAL_CA_FILE: /etc/svc-asr/gateway-ca/ca.crt
{{- end }}
{{- with include "svc-asr.consoleUrl" . }}
CONSOLE_URL: {{ . | quote }}
{{- end }}
{{- with .Values.console.oidc }}
{{- if .issuer }}
OIDC_ISSUER: {{ .issuer | quote }}
OIDC_CLIENT_ID: {{ .clientId | quote }}
OIDC_SCOPES: {{ .scopes | quote }}
{{- if .existingSecret }}
OIDC_CLIENT_SECRET_FILE: /etc/svc-asr/oidc/client-secret
{{- end }}
{{- if .adminGroups }}
OIDC_GROUPS_CLAIM: {{ .groupsClaim | quote }}
OIDC_ADMIN_GROUPS: {{ join "," .adminGroups | quote }}
ADMIN_CONSOLE_URL: {{ .adminUrl | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.console.mail }}
{{- if .existingSecret }}
SMTP_URL_FILE: /etc/svc-asr/mail/url
MAIL_FROM: {{ .from | quote }}
{{- end }}
{{- end }}
TRUSTED_PROXIES: {{ join "," .Values.console.trustedProxies | quote }}
# For administrators who run the svc-asr command in the pod.
SVC_ASR_ADMIN_URL: http://127.0.0.1:9091
SVC_ASR_ADMIN_TOKEN_FILE: /etc/svc-asr/admin/token
{{- end }}
