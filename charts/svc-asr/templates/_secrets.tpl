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

{{- define "svc-asr.workerCaSecret" -}}
{{ default (printf "%s-worker-ca" (include "svc-asr.fullname" .)) .Values.workerTls.caExistingSecret }}
{{- end }}

{{/* Domain of the certificates of workers. That of a model is for MODEL.DOMAIN. */}}
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
Metadata of a generated Secret. Takes "root", "name" and, for a certificate, its "hosts". Helm never deletes the Secret:
not with the release, because a later installation can use it again, and not when secrets.create is set to false or an
existingSecret replaces it.
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
