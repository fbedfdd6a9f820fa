{{/* Renders an HTTPRoute. Takes "root", "component", "route" (values), "hostnames", "port" (number). */}}
{{- define "svc-asr.httpRoute" -}}
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  {{- include "svc-asr.metadata" . | nindent 2 }}
  {{- with .route.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  parentRefs:
    {{- toYaml .route.parentRefs | nindent 4 }}
  hostnames:
    {{- toYaml .hostnames | nindent 4 }}
  rules:
    - matches:
        - path: {type: PathPrefix, value: /}
      # No timeout, because a stream is one long request. The gateway limits its duration.
      timeouts: {request: 0s, backendRequest: 0s}
      backendRefs:
        - name: {{ include "svc-asr.fullname" .root }}-{{ .component }}
          port: {{ .port }}
{{- end }}
