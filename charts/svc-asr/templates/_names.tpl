{{/* Name of the chart in labels. */}}
{{- define "svc-asr.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" }}
{{- end }}

{{/* Prefix of all object names. It has at most 40 characters, because suffixes are appended. */}}
{{- define "svc-asr.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else }}
{{- $name := include "svc-asr.name" . }}
{{- if contains $name .Release.Name }}
{{- .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" }}
{{- end }}
{{- end }}
{{- end }}

{{/* Name of the ClusterRole for nodes. It contains the namespace, because ClusterRoles belong to no namespace. */}}
{{- define "svc-asr.operatorNodesRole" -}}
{{ .Release.Namespace }}-{{ include "svc-asr.fullname" . }}-operator-nodes
{{- end }}

{{/* Name of the ClusterRole for ASRModels in modelNamespaces. */}}
{{- define "svc-asr.operatorModelsRole" -}}
{{ .Release.Namespace }}-{{ include "svc-asr.fullname" . }}-operator-models
{{- end }}

{{/* Name of the ConfigMap with the ledger id. The operator writes it, and gateways mount it. */}}
{{- define "svc-asr.ledgerConfigMap" -}}
{{ include "svc-asr.fullname" . }}-ledger
{{- end }}

{{/* Host name of the gateway Service inside the cluster. */}}
{{- define "svc-asr.gatewayHost" -}}
{{ include "svc-asr.fullname" . }}-gateway.{{ .Release.Namespace }}.svc
{{- end }}

{{/* Host name of the Service by which the console reaches the gateways. */}}
{{- define "svc-asr.gatewayInternalHost" -}}
{{ include "svc-asr.fullname" . }}-gateway-internal.{{ .Release.Namespace }}.svc
{{- end }}

{{/*
Returns "true" if the console has a playground. For the playground, the gateways open their internal port, which needs a
certificate.
*/}}
{{- define "svc-asr.playground" -}}
{{- $certificate := or .Values.secrets.create .Values.console.playground.existingSecret }}
{{- if and .Values.console.enabled .Values.console.playground.enabled $certificate }}true{{ end }}
{{- end }}

{{/* Host name of the Service of the admin API inside the cluster. */}}
{{- define "svc-asr.adminApiHost" -}}
{{ include "svc-asr.fullname" . }}-console-admin.{{ .Release.Namespace }}.svc
{{- end }}

{{/* Port of the gateway Service. */}}
{{- define "svc-asr.gatewayPort" -}}
{{- if .Values.gateway.service.port }}
{{- int .Values.gateway.service.port }}
{{- else }}
{{- ternary 80 443 (eq .Values.tls.mode "none") }}
{{- end }}
{{- end }}

{{/* URL at which clients reach the API. */}}
{{- define "svc-asr.publicUrl" -}}
{{- if .Values.publicUrl }}
{{- trimAll "/" .Values.publicUrl }}
{{- else }}
{{- $scheme := ternary "http" "https" (eq .Values.tls.mode "none") }}
{{- $port := include "svc-asr.gatewayPort" . }}
{{- $usual := ternary "80" "443" (eq .Values.tls.mode "none") }}
{{- printf "%s://%s%s" $scheme (include "svc-asr.gatewayHost" .) (ternary "" (printf ":%s" $port) (eq $port $usual)) }}
{{- end }}
{{- end }}

{{/* Host name in the URL of the API, without the port. */}}
{{- define "svc-asr.publicHost" -}}
{{- $url := urlParse (include "svc-asr.publicUrl" .) }}
{{- regexReplaceAll ":[0-9]+$" $url.host "" }}
{{- end }}

{{/* Namespaces that may contain ASRModels, besides the namespace of the release, as a JSON array. */}}
{{- define "svc-asr.modelNamespaces" -}}
{{- without (uniq .Values.modelNamespaces) .Release.Namespace | toJson }}
{{- end }}
