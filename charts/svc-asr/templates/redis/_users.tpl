{{/* The users of the chart's Redis, with hashes of their passwords. Takes "root" and "passwords", by user. */}}
{{- define "svc-asr.redisUsers" -}}
{{- /* Nobody can be this user, but Redis is it when it reads its file at start: without rights it would skip every transaction. */ -}}
user default off ~* &* +@all
user health on nopass resetkeys resetchannels -@all +ping
{{- range $user := list "gateway" "operator" "worker" "console" }}
user {{ $user }} on #{{ get $.passwords $user | sha256sum }} resetkeys resetchannels -@all {{ include "svc-asr.redisRights" (dict "root" $.root "user" $user) }}
{{- end }}
user admin on #{{ get $.passwords "admin" | sha256sum }} ~* &* +@all
{{- end }}
