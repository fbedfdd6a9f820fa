{{/* Labels that select the pods of a component. They must never change. Takes (dict "root" $ "component" NAME). */}}
{{- define "svc-asr.selectorLabels" -}}
app.kubernetes.io/name: {{ include "svc-asr.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{/* All labels of an object. Takes (dict "root" $ "component" NAME). */}}
{{- define "svc-asr.labels" -}}
{{ include "svc-asr.selectorLabels" . }}
app.kubernetes.io/part-of: svc-asr
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Labels of a pod. They omit the chart version, so that an upgrade does not replace unchanged pods. */}}
{{- define "svc-asr.podLabels" -}}
{{- $own := include "svc-asr.selectorLabels" . | fromYaml }}
{{- $_ := set $own "app.kubernetes.io/part-of" "svc-asr" }}
{{- $given := index .root.Values .component "podLabels" }}
{{- mergeOverwrite (dict) .root.Values.commonLabels $given $own | toYaml }}
{{- end }}

{{/*
Metadata of an object of a component. Its name ends in "suffix" if that is given, and otherwise in the name of the
component. Its namespace is "namespace" if that is given, and otherwise the namespace of the release.
*/}}
{{- define "svc-asr.metadata" -}}
name: {{ include "svc-asr.fullname" .root }}-{{ .suffix | default .component }}
namespace: {{ .namespace | default .root.Release.Namespace }}
labels:
  {{- include "svc-asr.labels" . | nindent 2 }}
{{- end }}

{{/* Labels that select the pods of the workers, which the operator creates. */}}
{{- define "svc-asr.workerLabels" -}}
app.kubernetes.io/part-of: svc-asr
app.kubernetes.io/component: worker
{{- end }}
