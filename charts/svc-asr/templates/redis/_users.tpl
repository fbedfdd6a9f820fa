{{/* The users of the chart's Redis, with hashes of their passwords. Takes "root" and "passwords", by user. */}}
{{- define "svc-asr.redisUsers" -}}
user default off
user health on nopass resetkeys resetchannels -@all +ping
{{- range $user := list "gateway" "operator" "worker" "console" }}
user {{ $user }} on #{{ get $.passwords $user | sha256sum }} resetkeys resetchannels -@all {{ include "svc-asr.redisRights" (dict "root" $.root "user" $user) }}
{{- end }}
user admin on #{{ get $.passwords "admin" | sha256sum }} ~* &* +@all
{{- end }}
