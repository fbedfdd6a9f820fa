{{/* Everything about the pod of a component that is not its container and its volumes. */}}
{{- define "svc-asr.podSpec" -}}
{{- $values := index .root.Values .component }}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with $values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
enableServiceLinks: false
securityContext:
  {{- include "svc-asr.podSecurity" .root | nindent 2 }}
{{- end }}

{{/* How long operator or console may take to stop, in whole seconds: what they are told, 10 s unless set, and some room. */}}
{{- define "svc-asr.stopSeconds" -}}
{{- $settings := (index .root.Values .component).settings }}
{{- add 20 (divf (int64 (default 10000 $settings.STOP_GRACE_MS)) 1000 | ceil | int) }}
{{- end }}

{{/* What Pod Security "restricted" asks of a pod. */}}
{{- define "svc-asr.podSecurity" -}}
runAsNonRoot: true
{{- with .Values.podSecurity.userId }}
runAsUser: {{ int . }}
runAsGroup: {{ int . }}
fsGroup: {{ int . }}
{{- end }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{/* What it asks of a container, and a file system that nobody writes to. */}}
{{- define "svc-asr.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* Mode of mounted secrets: for the group that containers run as, or for the pod where the platform chooses it. */}}
{{- define "svc-asr.secretMode" -}}
{{- ternary 0o440 0o444 (gt (int .Values.podSecurity.userId) 0) }}
{{- end }}

{{/* How pods are spread over zones and nodes. Pods of a rollout are counted by revision. */}}
{{- define "svc-asr.topologySpread" -}}
topologySpreadConstraints:
{{- with (index .root.Values .component).topologySpreadConstraints }}
  {{- toYaml . | nindent 2 }}
{{- else }}
  {{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "svc-asr.selectorLabels" $ | nindent 8 }}
    matchLabelKeys: [pod-template-hash]
  {{- end }}
{{- end }}
{{- end }}

{{/* Probes of a service's admin port. Liveness depends on nothing but the process itself. */}}
{{- define "svc-asr.probes" -}}
startupProbe:
  httpGet: {path: /livez, port: admin}
  periodSeconds: 2
  timeoutSeconds: 5
  failureThreshold: 60
livenessProbe:
  httpGet: {path: /livez, port: admin}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
readinessProbe:
  httpGet: {path: /readyz, port: admin}
  periodSeconds: 2
  timeoutSeconds: 5
  failureThreshold: 2
{{- end }}
