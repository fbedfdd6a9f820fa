{{/*
Returns the annotations that a controller needs for long-lived streams. Takes "root", "component", "ingress" (values) and
"secure" (whether the pods serve TLS).
*/}}
{{- define "svc-asr.ingressAnnotations" -}}
{{- $seconds := int .root.Values.gateway.longestStreamSeconds }}
{{- if eq .ingress.controller "nginx" }}
nginx.ingress.kubernetes.io/backend-protocol: {{ ternary "HTTPS" "HTTP" .secure | quote }}
nginx.ingress.kubernetes.io/proxy-read-timeout: {{ $seconds | quote }}
nginx.ingress.kubernetes.io/proxy-send-timeout: {{ $seconds | quote }}
# Buffering would delay audio and transcripts.
nginx.ingress.kubernetes.io/proxy-buffering: "off"
nginx.ingress.kubernetes.io/proxy-request-buffering: "off"
# A request that creates a session may have no idempotency key. A retry by the proxy would create a second session.
nginx.ingress.kubernetes.io/proxy-next-upstream: "off"
{{- else if eq .ingress.controller "haproxy" }}
haproxy.org/server-ssl: {{ .secure | quote }}
{{- end }}
{{- end }}

{{/* Renders an Ingress. Takes "root", "component", "ingress" (values), "host", "port" (number), "secure". */}}
{{- define "svc-asr.ingress" -}}
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  {{- include "svc-asr.metadata" . | nindent 2 }}
  {{- $annotations := mergeOverwrite (dict) (include "svc-asr.ingressAnnotations" . | fromYaml) .ingress.annotations }}
  {{- with $annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- with .ingress.className }}
  ingressClassName: {{ . }}
  {{- end }}
  tls:
    - hosts: [{{ .host | quote }}]
      {{- with .ingress.tlsSecret }}
      secretName: {{ . }}
      {{- end }}
  rules:
    - host: {{ .host | quote }}
      http:
        paths:
          - path: /
            pathType: Prefix
            backend:
              service:
                name: {{ include "svc-asr.fullname" .root }}-{{ .component }}
                port: {number: {{ .port }}}
{{- end }}
