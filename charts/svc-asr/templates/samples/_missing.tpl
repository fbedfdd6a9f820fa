{{/*
"yes" where a sample is wanted and not there yet: it is made once, then it is the administrator's. It is a hook because
Helm checks all kinds of a release before it makes the first object, and the CRDs are in the same release.
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
