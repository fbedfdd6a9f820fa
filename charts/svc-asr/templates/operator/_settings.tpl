{{/* Settings of the operator that the chart sets. */}}
{{- define "svc-asr.operatorSettings" -}}
KUBERNETES: in-cluster
LEASE_NAME: {{ include "svc-asr.fullname" . }}-operator
JOURNAL_FOLDER: {{ ternary "" "/var/lib/svc-asr/journal" (empty .Values.operator.journal.existingClaim) | quote }}
LEDGER_CONFIG_MAP: {{ include "svc-asr.ledgerConfigMap" . }}
WORKER_IMAGE: {{ include "svc-asr.image" (dict "root" . "image" .Values.worker.image) | quote }}
WORKER_IMAGE_PULL_POLICY: {{ .Values.image.pullPolicy }}
WORKER_IMAGE_PULL_SECRETS: {{ join "," .Values.image.pullSecrets | quote }}
WORKER_ALLOWED_IMAGES: {{ join "," .Values.worker.allowedImages | quote }}
WORKER_ALLOWED_ARTIFACT_HOSTS: {{ join "," .Values.worker.allowedArtifactHosts | quote }}
WORKER_OWN_SECRETS: {{ include "svc-asr.ownSecrets" . | quote }}
WORKER_OWN_CLAIMS: {{ include "svc-asr.ownClaims" . | quote }}
WORKER_USER_ID: {{ int .Values.podSecurity.userId | quote }}
WORKER_REDIS_USERS: {{ include "svc-asr.workerUsers" . }}
{{- if eq (include "svc-asr.workerUsers" .) "shared" }}
WORKER_REDIS_SECRET: {{ include "svc-asr.redisSecret" (dict "root" . "component" "worker") }}
{{- end }}
WORKER_TICKET_PUBLIC_KEYS_SECRET: {{ include "svc-asr.ticketPublicKeysSecret" . }}
{{- with include "svc-asr.modelNamespaces" . | fromJsonArray }}
MODEL_NAMESPACES: {{ join "," . | quote }}
WORKER_TICKET_PUBLIC_KEYS_FILE: /etc/svc-asr/worker-tickets/keys.pem
{{- if eq (include "svc-asr.workerUsers" $) "shared" }}
WORKER_REDIS_URL_FILE: /etc/svc-asr/worker-redis/url
{{- end }}
{{- if include "svc-asr.redisCaSecret" $ }}
WORKER_CA_FILE: /etc/svc-asr/redis-ca/ca.crt
{{- end }}
{{- end }}
{{- if .Values.workerTls.enabled }}
WORKER_ISSUER_CERT_FILE: /etc/svc-asr/worker-ca/tls.crt
WORKER_ISSUER_KEY_FILE: /etc/svc-asr/worker-ca/tls.key
WORKER_SERVER_NAME: {{ include "svc-asr.workerServerName" . | quote }}
WORKER_CERTIFICATE_DAYS: {{ int .Values.workerTls.validityDays | quote }}
{{- end }}
WORKER_CA_SECRET: {{ include "svc-asr.redisCaSecret" . | quote }}
WORKER_GATEWAY_LABELS: "app.kubernetes.io/instance={{ .Release.Name }},app.kubernetes.io/component=gateway"
WORKER_REDIS_LABELS: {{ ternary (printf "app.kubernetes.io/instance=%s,app.kubernetes.io/component=redis" .Release.Name) "" .Values.redis.enabled | quote }}
WORKER_OTLP_ENDPOINT: {{ .Values.telemetry.otlpEndpoint | quote }}
WORKER_EGRESS_PORTS: {{ include "svc-asr.workerEgressPorts" . | quote }}
WORKER_NODE_NOTICES: {{ .Values.operator.nodeNotices.enabled | quote }}
WORKER_NODE_NOTICE_KEYS: {{ join "," .Values.operator.nodeNotices.keys | quote }}
WORKER_MAX_UNAVAILABLE: {{ .Values.worker.maxUnavailable | quote }}
{{- end }}

{{/* Additional ports that workers may connect to. The operator adds the ports of its Redis URL and of the collector. */}}
{{- define "svc-asr.workerEgressPorts" -}}
{{- $ports := .Values.worker.egressPorts }}
{{- if not .Values.redis.enabled }}
{{- $ports = concat $ports .Values.redis.external.ports }}
{{- end }}
{{- $words := list }}
{{- range $ports }}
{{- $words = append $words (int . | toString) }}
{{- end }}
{{- join "," (uniq $words) }}
{{- end }}
