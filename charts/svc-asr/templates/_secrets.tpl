{{/* Names of the Secrets: those of the values, or the chart's own. */}}
{{- define "svc-asr.pepperSecret" -}}
{{ default (printf "%s-api-key-peppers" (include "svc-asr.fullname" .)) .Values.secrets.apiKeyPeppers.existingSecret }}
{{- end }}

{{- define "svc-asr.sessionSecret" -}}
{{ default (printf "%s-session-secrets" (include "svc-asr.fullname" .)) .Values.secrets.sessionSecrets.existingSecret }}
{{- end }}

{{- define "svc-asr.ticketSecret" -}}
{{ default (printf "%s-worker-tickets" (include "svc-asr.fullname" .)) .Values.secrets.workerTickets.existingSecret }}
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

{{- define "svc-asr.workerTlsSecret" -}}
{{ default (printf "%s-worker-tls" (include "svc-asr.fullname" .)) .Values.workerTls.existingSecret }}
{{- end }}

{{/* Name that the certificate of workers carries. */}}
{{- define "svc-asr.workerServerName" -}}
{{ default (printf "workers.%s.svc-asr.internal" (include "svc-asr.fullname" .)) .Values.workerTls.serverName }}
{{- end }}

{{/* What a Secret of the cluster holds under a key, decoded; empty where it, the key or the cluster is not there. */}}
{{- define "svc-asr.kept" -}}
{{- $found := lookup "v1" "Secret" .root.Release.Namespace .name | default dict }}
{{- get ($found.data | default dict) .key | b64dec }}
{{- end }}

{{/* A keyring: what the cluster holds already, or a new one. Takes (dict "root" $ "name" SECRET "key" KEY). */}}
{{- define "svc-asr.keyring" -}}
{{- with include "svc-asr.kept" . }}
{{- . }}
{{- else }}
{{- dict "current" "k1" "secrets" (dict "k1" (randBytes 32)) | toJson }}
{{- end }}
{{- end }}

{{/*
Metadata of a generated Secret. Takes "root", "name" and, for a certificate, the "hosts" that it is made for. Helm never
deletes it: not with the release, whose resources another one can take up, and not when secrets.create or an
existingSecret says that it is somebody else's from now on.
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

{{/* Hosts that the certificate in the cluster was made for. */}}
{{- define "svc-asr.keptHosts" -}}
{{- $found := lookup "v1" "Secret" .root.Release.Namespace .name | default dict }}
{{- $metadata := $found.metadata | default dict }}
{{- get ($metadata.annotations | default dict) "asr.svc.dev/hosts" }}
{{- end }}
