{{/*
Returns "yes" if a sample is enabled and does not exist yet. The chart creates it once and never changes it. Samples are
hooks, because Helm looks up all kinds of a release before it creates objects, and the CRDs are in the same release.
Takes "root", "kind" and "name".
*/}}
{{- define "svc-asr.sampleIsMissing" -}}
{{- if .root.Values.samples.enabled }}
{{- if not (.root.Capabilities.APIVersions.Has (printf "asr.svc.dev/v1/%s" .kind)) }}yes
{{- else if not (lookup "asr.svc.dev/v1" .kind .root.Release.Namespace .name) }}yes
{{- end }}
{{- end }}
{{- end }}

{{- define "svc-asr.sampleMetadata" -}}
name: {{ .name }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "svc-asr.labels" (dict "root" .root "component" "samples") | nindent 2 }}
annotations:
  helm.sh/hook: post-install,post-upgrade
{{- end }}
