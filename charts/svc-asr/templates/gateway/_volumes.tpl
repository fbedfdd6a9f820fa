{{/* Mounts of a gateway: secrets as files, and the ledger id, which the operator writes later. */}}
{{- define "svc-asr.gatewayMounts" -}}
- {name: api-keys, mountPath: /etc/svc-asr/api-keys, readOnly: true}
- {name: sessions, mountPath: /etc/svc-asr/sessions, readOnly: true}
- {name: tickets, mountPath: /etc/svc-asr/tickets, readOnly: true}
- {name: ledger, mountPath: /etc/svc-asr/ledger, readOnly: true}
{{- if ne .Values.tls.mode "none" }}
- {name: tls, mountPath: /etc/svc-asr/tls, readOnly: true}
{{- end }}
{{- if include "svc-asr.playground" . }}
- {name: internal-tls, mountPath: /etc/svc-asr/internal-tls, readOnly: true}
{{- end }}
{{- if .Values.workerTls.enabled }}
- {name: worker-ca, mountPath: /etc/svc-asr/worker-ca, readOnly: true}
{{- end }}
- {name: tmp, mountPath: /tmp}
{{- end }}

{{- define "svc-asr.gatewayVolumes" -}}
{{- $mode := include "svc-asr.secretMode" . }}
- name: api-keys
  secret:
    secretName: {{ include "svc-asr.pepperSecret" . }}
    items: [{key: peppers, path: peppers}]
    defaultMode: {{ $mode }}
- name: sessions
  secret:
    secretName: {{ include "svc-asr.sessionSecret" . }}
    items: [{key: secrets, path: secrets}]
    defaultMode: {{ $mode }}
- name: tickets
  secret:
    secretName: {{ include "svc-asr.ticketKeySecret" . }}
    items: [{key: ticket.key, path: ticket.key}]
    defaultMode: {{ $mode }}
- name: ledger
  configMap:
    name: {{ include "svc-asr.ledgerConfigMap" . }}
    optional: true
{{- if ne .Values.tls.mode "none" }}
- name: tls
  secret:
    secretName: {{ include "svc-asr.gatewayTlsSecret" . }}
    items: [{key: tls.crt, path: tls.crt}, {key: tls.key, path: tls.key}]
    defaultMode: {{ $mode }}
{{- end }}
{{- if include "svc-asr.playground" . }}
- name: internal-tls
  secret:
    secretName: {{ include "svc-asr.gatewayInternalTlsSecret" . }}
    items: [{key: tls.crt, path: tls.crt}, {key: tls.key, path: tls.key}]
    defaultMode: {{ $mode }}
{{- end }}
{{- if .Values.workerTls.enabled }}
# Mounts only the certificate of the CA. The private key in this Secret is for the operator.
- name: worker-ca
  secret:
    secretName: {{ include "svc-asr.workerCaSecret" . }}
    items: [{key: tls.crt, path: ca.crt}]
    defaultMode: {{ $mode }}
{{- end }}
- name: tmp
  emptyDir: {sizeLimit: 64Mi}
{{- end }}
