{{/* Metadata of the objects of `helm test`. */}}
{{- define "svc-asr.testMetadata" -}}
{{ include "svc-asr.metadata" (dict "root" . "component" "test") }}
annotations:
  helm.sh/hook: test
  # Objects of a failed test are kept for inspection.
  helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end }}
