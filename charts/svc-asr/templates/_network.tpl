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
{{- with .Values.telemetry.otlpEndpoint }}
{{- $url := urlParse . }}
- ports:
    - protocol: TCP
      port: {{ regexFind "[0-9]+$" (regexFind ":[0-9]+$" $url.host) | default (ternary "443" "80" (eq $url.scheme "https")) }}
{{- end }}
{{- end }}

{{/* From what gathers metrics, and from the pods that test the installation, to the admin port. */}}
{{- define "svc-asr.fromMetrics" -}}
- from:
    {{- default (list (dict "namespaceSelector" dict)) .Values.networkPolicy.metricsFrom | toYaml | nindent 4 }}
    {{- include "svc-asr.testPeers" . | nindent 4 }}
  ports:
    - {protocol: TCP, port: 9090}
{{- end }}

{{/* The pods that test the installation: that of `helm test`, and that of loadtest/job.yaml. */}}
{{- define "svc-asr.testPeers" -}}
{{- range $component := list "test" "loadtest" }}
- podSelector:
    matchLabels:
      {{- include "svc-asr.selectorLabels" (dict "root" $ "component" $component) | nindent 6 }}
{{- end }}
{{- end }}

{{/* From those to the API and the admin ports of components. Takes (dict "root" $ "components" LIST). */}}
{{- define "svc-asr.toTested" -}}
- to:
    {{- range $component := .components }}
    - podSelector:
        matchLabels:
          {{- include "svc-asr.selectorLabels" (dict "root" $.root "component" $component) | nindent 10 }}
    {{- end }}
  ports:
    - {protocol: TCP, port: 8443}
    - {protocol: TCP, port: 9090}
{{- end }}
