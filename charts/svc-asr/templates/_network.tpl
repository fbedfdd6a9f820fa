{{/* Rules that several network policies share. */}}

{{/*
Egress to the DNS resolver, which may run in the cluster or on the node. Policies apply to the port of the resolver's
pods, which is 5353 on OpenShift.
*/}}
{{- define "svc-asr.toDns" -}}
- ports:
    - {protocol: UDP, port: 53}
    - {protocol: TCP, port: 53}
    - {protocol: UDP, port: 5353}
    - {protocol: TCP, port: 5353}
{{- end }}

{{/* Egress to the bundled Redis, or to the ports of an external one. */}}
{{- define "svc-asr.toRedis" -}}
{{- if .Values.redis.enabled }}
- to:
    - podSelector:
        matchLabels:
          {{- include "svc-asr.selectorLabels" (dict "root" . "component" "redis") | nindent 10 }}
  ports:
    {{- include "svc-asr.redisPorts" . | nindent 4 }}
{{- else }}
- ports:
    {{- range .Values.redis.external.ports }}
    - {protocol: TCP, port: {{ int . }}}
    {{- end }}
{{- end }}
{{- end }}

{{/* Ports of the pods of the bundled Redis. */}}
{{- define "svc-asr.redisPorts" -}}
- {protocol: TCP, port: 6379}
{{- if .Values.redis.sentinel.enabled }}
- {protocol: TCP, port: 26379}
{{- end }}
{{- end }}

{{/* Egress to the Kubernetes API. The API server is not a pod, so a pod selector cannot match it. */}}
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

{{/* Egress to the collector of traces and metrics, if one is set. */}}
{{- define "svc-asr.toCollector" -}}
{{- with .Values.telemetry.otlpEndpoint }}
{{- $url := urlParse . }}
- ports:
    - protocol: TCP
      port: {{ regexFind "[0-9]+$" (regexFind ":[0-9]+$" $url.host) | default (ternary "443" "80" (eq $url.scheme "https")) }}
{{- end }}
{{- end }}

{{/* Ingress to the admin port, from metric scrapers and from the pods that test the installation. */}}
{{- define "svc-asr.fromMetrics" -}}
- from:
    {{- default (list (dict "namespaceSelector" dict)) .Values.networkPolicy.metricsFrom | toYaml | nindent 4 }}
    {{- include "svc-asr.testPeers" . | nindent 4 }}
  ports:
    - {protocol: TCP, port: 9090}
{{- end }}

{{/* Peers that test the installation: the pods of `helm test` and loadtest/job.yaml. */}}
{{- define "svc-asr.testPeers" -}}
{{- range $component := list "test" "loadtest" }}
- podSelector:
    matchLabels:
      {{- include "svc-asr.selectorLabels" (dict "root" $ "component" $component) | nindent 6 }}
{{- end }}
{{- end }}

{{/* Egress of the test peers to the API, metrics and admin API of components. Takes (dict "root" $ "components" LIST). */}}
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
    {{- if .root.Values.console.adminApi.enabled }}
    - {protocol: TCP, port: 9443}
    {{- end }}
{{- end }}

{{/* Peers that are workers, in the namespace of the release and in modelNamespaces. */}}
{{- define "svc-asr.workerPeers" -}}
- podSelector:
    matchLabels:
      {{- include "svc-asr.workerLabels" . | nindent 6 }}
{{- with include "svc-asr.modelNamespaces" . | fromJsonArray }}
- namespaceSelector:
    matchExpressions:
      - {key: kubernetes.io/metadata.name, operator: In, values: {{ toJson . }}}
  podSelector:
    matchLabels:
      {{- include "svc-asr.workerLabels" $ | nindent 6 }}
{{- end }}
{{- end }}
