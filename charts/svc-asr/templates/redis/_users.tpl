{{/* Renders the users of the bundled Redis with password hashes. Takes "root" and "passwords" (a map by user). */}}
{{- define "svc-asr.redisUsers" -}}
{{- /* No client can log in as default. Redis reads its append-only file with the rights of this user. */ -}}
user default off ~* &* +@all
user health on nopass resetkeys resetchannels -@all +ping
{{- range $user := splitList " " (include "svc-asr.redisComponents" .root) }}
user {{ $user }} on #{{ get $.passwords $user | sha256sum }} resetkeys resetchannels -@all {{ include "svc-asr.redisRights" (dict "root" $.root "user" $user) }}
{{- end }}
user admin on #{{ get $.passwords "admin" | sha256sum }} ~* &* +@all
{{- end }}
