{{/* Name of what `helm test` makes. */}}
{{- define "svc-asr.testMetadata" -}}
{{ include "svc-asr.metadata" (dict "root" . "component" "test") }}
annotations:
  helm.sh/hook: test
  # What failed stays to be looked at.
  helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end }}
