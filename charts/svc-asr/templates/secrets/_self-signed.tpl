{{/*
Renders a Secret with a certificate, its key and the generated CA that signed it. An existing certificate is kept until
its hosts change. Takes "root", "name", "authority" (name of the CA), "subject" and "hosts" (DNS names).
*/}}
{{- define "svc-asr.selfSignedSecret" -}}
{{- $kept := dict "root" .root "name" .name }}
{{- $cert := include "svc-asr.kept" (merge (dict "key" "tls.crt") $kept) }}
{{- $key := include "svc-asr.kept" (merge (dict "key" "tls.key") $kept) }}
{{- $authority := include "svc-asr.kept" (merge (dict "key" "ca.crt") $kept) }}
{{- if or (not (and $cert $key $authority)) (ne (join " " .hosts) (include "svc-asr.keptHosts" $kept)) }}
{{- $ca := genCAWithKey .authority 3650 (genPrivateKey "ecdsa") }}
{{- $ips := list "127.0.0.1" }}
{{- $made := genSignedCertWithKey (.subject | trunc 64) $ips .hosts 3650 $ca (genPrivateKey "ecdsa") }}
{{- $cert = $made.Cert }}
{{- $key = $made.Key }}
{{- $authority = $ca.Cert }}
{{- end }}
apiVersion: v1
kind: Secret
metadata:
  {{- include "svc-asr.secretMetadata" (dict "root" .root "name" .name "hosts" (join " " .hosts)) | nindent 2 }}
type: kubernetes.io/tls
stringData:
  tls.crt: {{ $cert | quote }}
  tls.key: {{ $key | quote }}
  ca.crt: {{ $authority | quote }}
{{- end }}
