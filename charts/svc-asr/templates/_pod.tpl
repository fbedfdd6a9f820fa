{{/* Pod spec of a component, without its containers and volumes. */}}
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
{{- if ne .component "redis" }}
{{- /* Without this option, Node has process id 1, and the kernel discards a SIGTERM that arrives while Node starts. */}}
shareProcessNamespace: true
{{- end }}
securityContext:
  {{- include "svc-asr.podSecurity" .root | nindent 2 }}
{{- end }}

{{/* Termination grace period of operator or console, in seconds: STOP_GRACE_MS (10 s by default) and a margin. */}}
{{- define "svc-asr.stopSeconds" -}}
{{- $settings := (index .root.Values .component).settings }}
{{- add 20 (divf (int64 (default 10000 $settings.STOP_GRACE_MS)) 1000 | ceil | int) }}
{{- end }}

{{/* Security context of a pod, as Pod Security "restricted" requires it. */}}
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

{{/* Security context of a container, as Pod Security "restricted" requires it, with a read-only root file system. */}}
{{- define "svc-asr.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* File mode of mounted secrets. Readable by all users of the pod if the platform assigns the group. */}}
{{- define "svc-asr.secretMode" -}}
{{- ternary 0o440 0o444 (gt (int .Values.podSecurity.userId) 0) }}
{{- end }}

{{/* Topology spread constraints over zones and nodes. During a rollout, each revision spreads separately. */}}
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

{{/* Probes of the admin port of a service. Liveness depends only on the process, not on Redis or other services. */}}
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
