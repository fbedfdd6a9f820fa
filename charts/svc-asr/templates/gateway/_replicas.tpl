{{/*
The number of pods, where the chart has to say it. With autoscaling it is the autoscaler's, except that a number which was
said once and then no longer would become 1: where the autoscaler takes over from a fixed number, the chart goes on
saying the one that is in force. 0 is that of somebody who stopped the gateways, and no autoscaler would end that.
*/}}
{{- define "svc-asr.gatewayReplicas" -}}
{{- $scaling := .Values.gateway.autoscaling }}
{{- if $scaling.enabled }}
{{- $name := printf "%s-gateway" (include "svc-asr.fullname" .) }}
{{- $live := lookup "apps/v1" "Deployment" .Release.Namespace $name | default dict }}
{{- $scaler := lookup "autoscaling/v2" "HorizontalPodAutoscaler" .Release.Namespace $name }}
{{- $said := get (dig "metadata" "annotations" dict $live) "asr.svc.dev/replicas" }}
{{- if and $live (or $said (not $scaler)) }}
{{- default (int $scaling.minReplicas) (int $live.spec.replicas) }}
{{- end }}
{{- else }}
{{- int .Values.gateway.replicas }}
{{- end }}
{{- end }}
