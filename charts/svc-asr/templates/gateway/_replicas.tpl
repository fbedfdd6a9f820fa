{{/*
Returns the replica count of the gateway, or nothing if the autoscaler sets it. When Helm stops rendering a count that it
rendered before, Kubernetes resets the count to 1. Therefore, if autoscaling replaces a fixed count, the chart keeps
rendering the current one. If the current count is 0, it renders minReplicas, because an autoscaler ignores a count of 0.
*/}}
{{- define "svc-asr.gatewayReplicas" -}}
{{- $scaling := .Values.gateway.autoscaling }}
{{- if $scaling.enabled }}
{{- $name := printf "%s-gateway" (include "svc-asr.fullname" .) }}
{{- $live := lookup "apps/v1" "Deployment" .Release.Namespace $name | default dict }}
{{- $scaler := lookup "autoscaling/v2" "HorizontalPodAutoscaler" .Release.Namespace $name }}
{{- $kept := get (dig "metadata" "annotations" dict $live) "asr.svc.dev/replicas" }}
{{- if and $live (or $kept (not $scaler)) }}
{{- default (int $scaling.minReplicas) (int $live.spec.replicas) }}
{{- end }}
{{- else }}
{{- int .Values.gateway.replicas }}
{{- end }}
{{- end }}
