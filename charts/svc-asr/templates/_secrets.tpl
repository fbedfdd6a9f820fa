{{/* Names of the Secrets, from the values or generated. */}}
{{- define "svc-asr.pepperSecret" -}}
{{ default (printf "%s-api-key-peppers" (include "svc-asr.fullname" .)) .Values.secrets.apiKeyPeppers.existingSecret }}
{{- end }}

{{- define "svc-asr.sessionSecret" -}}
{{ default (printf "%s-session-secrets" (include "svc-asr.fullname" .)) .Values.secrets.sessionSecrets.existingSecret }}
{{- end }}

{{- define "svc-asr.ticketKeySecret" -}}
{{ default (printf "%s-worker-ticket-key" (include "svc-asr.fullname" .)) .Values.secrets.workerTickets.existingSecret }}
{{- end }}

{{- define "svc-asr.ticketPublicKeysSecret" -}}
{{ default (printf "%s-worker-ticket-public-keys" (include "svc-asr.fullname" .)) .Values.secrets.workerTickets.publicKeysExistingSecret }}
{{- end }}

{{- define "svc-asr.adminTokenSecret" -}}
{{ default (printf "%s-admin-token" (include "svc-asr.fullname" .)) .Values.secrets.adminToken.existingSecret }}
{{- end }}

{{- define "svc-asr.gatewayTlsSecret" -}}
{{- if eq .Values.tls.mode "existingSecret" -}}
{{ required "tls.mode is existingSecret: set tls.existingSecret to the name of a Secret of type kubernetes.io/tls" .Values.tls.existingSecret }}
{{- else -}}
{{ include "svc-asr.fullname" . }}-gateway-tls
{{- end }}
{{- end }}

{{- define "svc-asr.adminApiTlsSecret" -}}
{{ default (printf "%s-admin-api-tls" (include "svc-asr.fullname" .)) .Values.console.adminApi.existingSecret }}
{{- end }}

{{- define "svc-asr.gatewayInternalTlsSecret" -}}
{{ default (printf "%s-gateway-internal-tls" (include "svc-asr.fullname" .)) .Values.console.playground.existingSecret }}
{{- end }}

{{- define "svc-asr.workerCaSecret" -}}
{{ default (printf "%s-worker-ca" (include "svc-asr.fullname" .)) .Values.workerTls.caExistingSecret }}
{{- end }}

{{/*
Names of all Secrets of the installation, separated by commas. The operator refuses them in ASRModels. It also refuses
Secrets with the labels of the chart, but a Secret that a value such as existingSecret specifies need not have these
labels.
*/}}
{{- define "svc-asr.ownSecrets" -}}
{{- $names := list (include "svc-asr.pepperSecret" .) (include "svc-asr.sessionSecret" .) (include "svc-asr.adminTokenSecret" .) }}
{{- $names = concat $names (list (include "svc-asr.ticketKeySecret" .) (include "svc-asr.ticketPublicKeysSecret" .) (include "svc-asr.adminApiTlsSecret" .)) }}
{{- $names = append $names (include "svc-asr.gatewayInternalTlsSecret" .) }}
{{- if ne .Values.tls.mode "none" }}
{{- $names = append $names (include "svc-asr.gatewayTlsSecret" .) }}
{{- end }}
{{- $names = concat $names (list (include "svc-asr.workerCaSecret" .) (include "svc-asr.redisAclSecret" .) (include "svc-asr.redisCaSecret" .)) }}
{{- if .Values.redis.sentinel.enabled }}
{{- $names = concat $names (list (printf "%s-redis-nodes" (include "svc-asr.fullname" .)) (printf "%s-redis-tls" (include "svc-asr.fullname" .))) }}
{{- end }}
{{- range list "gateway" "operator" "worker" "console" }}
{{- $names = append $names (include "svc-asr.redisSecret" (dict "root" $ "component" .)) }}
{{- end }}
{{- $names = concat $names (list .Values.gateway.ingress.tlsSecret .Values.console.ingress.tlsSecret) }}
{{- without $names "" | uniq | sortAlpha | join "," }}
{{- end }}

{{/* Names of the PersistentVolumeClaims of the installation, separated by commas. */}}
{{- define "svc-asr.ownClaims" -}}
{{- without (list (printf "data-%s-redis-*" (include "svc-asr.fullname" .)) .Values.operator.journal.existingClaim) "" | join "," }}
{{- end }}

{{/* Domain of the certificates of workers. The certificate of a model is for MODEL.DOMAIN. */}}
{{- define "svc-asr.workerServerName" -}}
{{ default (printf "workers.%s.svc-asr.internal" (include "svc-asr.fullname" .)) .Values.workerTls.serverName }}
{{- end }}

{{/*
Returns the decoded value of a key of a Secret in the cluster. Empty if the Secret or the key does not exist, or if Helm
has no access to the cluster. Takes (dict "root" $ "name" SECRET "key" KEY).
*/}}
{{- define "svc-asr.kept" -}}
{{- $found := lookup "v1" "Secret" .root.Release.Namespace .name | default dict }}
{{- get ($found.data | default dict) .key | b64dec }}
{{- end }}

{{/* Returns the existing keyring of the cluster, or a new one. Takes (dict "root" $ "name" SECRET "key" KEY). */}}
{{- define "svc-asr.keyring" -}}
{{- with include "svc-asr.kept" . }}
{{- . }}
{{- else }}
{{- dict "current" "k1" "secrets" (dict "k1" (randBytes 32)) | toJson }}
{{- end }}
{{- end }}

{{/*
Metadata of a generated Secret. Takes "root", "name" and, for a certificate, its "hosts". Helm never deletes the Secret.
It stays when the release is deleted, because a later installation can use it again. It also stays when secrets.create is
set to false, or when an existingSecret replaces it.
*/}}
{{- define "svc-asr.secretMetadata" -}}
name: {{ .name }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "svc-asr.labels" (dict "root" .root "component" "secrets") | nindent 2 }}
annotations:
  helm.sh/resource-policy: keep
  {{- with .hosts }}
  asr.svc.dev/hosts: {{ . | quote }}
  {{- end }}
{{- end }}

{{/* Hosts of the existing certificate in the cluster. */}}
{{- define "svc-asr.keptHosts" -}}
{{- $found := lookup "v1" "Secret" .root.Release.Namespace .name | default dict }}
{{- $metadata := $found.metadata | default dict }}
{{- get ($metadata.annotations | default dict) "asr.svc.dev/hosts" }}
{{- end }}
