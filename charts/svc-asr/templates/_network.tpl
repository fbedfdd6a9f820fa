{{/* Edges of the network policies, each by a name of its own. */}}

{{/* To the resolver, wherever it is: in the cluster or on the node. */}}
{{- define "svc-asr.toDns" -}}
- ports:
    - {protocol: UDP, port: 53}
    - {protocol: TCP, port: 53}
{{- end }}

{{/* To the chart's Redis, or to the ports of one that is elsewhere. */}}
{{- define "svc-asr.toRedis" -}}
{{- if .Values.redis.enabled }}
- to:
    - podSelector:
        matchLabels:
          {{- include "svc-asr.selectorLabels" (dict "root" . "component" "redis") | nindent 10 }}
  ports:
    - {protocol: TCP, port: 6379}
{{- else }}
- ports:
    {{- range .Values.redis.external.ports }}
    - {protocol: TCP, port: {{ int . }}}
    {{- end }}
{{- end }}
{{- end }}

{{/* To the Kubernetes API, which is no pod that could be selected. */}}
{{- define "svc-asr.toApiServer" -}}
- ports:
    {{- range .Values.networkPolicy.apiServer.ports }}
    - {protocol: TCP, port: {{ int . }}}
    {{- end }}
  {{- with .Values.networkPolicy.apiServer.cidrs }}
  to:
    {{- range . }}
    - ipBlock: {cidr: {{ . | quote }}}
    {{- end }}
  {{- end }}
{{- end }}

{{/* To the collector of traces and metrics, where one is named. */}}
{{- define "svc-asr.toCollector" -}}
{{- with include "svc-asr.otlpPort" . }}
- ports:
    - {protocol: TCP, port: {{ . }}}
{{- end }}
{{- end }}

{{/* The collector's port; empty where none is named. */}}
{{- define "svc-asr.otlpPort" -}}
{{- with .Values.telemetry.otlpEndpoint }}
{{- $url := urlParse . }}
{{- regexFind "[0-9]+$" (regexFind ":[0-9]+$" $url.host) | default (ternary "443" "80" (eq $url.scheme "https")) }}
{{- end }}
{{- end }}

{{/* From what gathers metrics, and from the pod of `helm test`, to the admin port. */}}
{{- define "svc-asr.fromMetrics" -}}
- from:
    {{- default (list (dict "namespaceSelector" dict)) .Values.networkPolicy.metricsFrom | toYaml | nindent 4 }}
    {{- include "svc-asr.testPeer" . | nindent 4 }}
  ports:
    - {protocol: TCP, port: 9090}
{{- end }}

{{/* The pod of `helm test`. */}}
{{- define "svc-asr.testPeer" -}}
- podSelector:
    matchLabels:
      {{- include "svc-asr.selectorLabels" (dict "root" . "component" "test") | nindent 6 }}
{{- end }}
