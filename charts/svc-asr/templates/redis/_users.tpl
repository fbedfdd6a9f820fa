{{/* Renders the users of the bundled Redis with password hashes. Takes "root" and "passwords" (a map by user). */}}
{{- define "svc-asr.redisUsers" -}}
{{- /* No client can log in as default. Redis reads its append-only file with the rights of this user. */ -}}
user default off ~* &* +@all
user health on nopass resetkeys resetchannels -@all +ping
{{- range $user := splitList " " (include "svc-asr.redisComponents" .root) }}
user {{ $user }} on #{{ get $.passwords $user | sha256sum }} resetkeys resetchannels -@all {{ include "svc-asr.redisRights" (dict "root" $.root "user" $user) }}
{{- end }}
{{- if .root.Values.redis.sentinel.enabled }}
user replica on #{{ get $.passwords "replica" | sha256sum }} resetkeys resetchannels -@all +psync +replconf +ping
user sentinel on #{{ get $.passwords "sentinel" | sha256sum }} resetkeys &* -@all {{ include "svc-asr.sentinelRights" . }}
{{- end }}
user admin on #{{ get $.passwords "admin" | sha256sum }} ~* &* +@all
{{- end }}

{{/* Rights of the sentinels at the servers, as the documentation of Redis lists them. */}}
{{- define "svc-asr.sentinelRights" -}}
+multi +slaveof +ping +exec +subscribe +config|rewrite +role +publish +info +client|setname +client|kill +script|kill
{{- end }}

{{/* Users of the sentinels, and how sentinels log in. Takes "passwords" (a map by user). */}}
{{- define "svc-asr.sentinelUsers" -}}
user default off
user health on nopass resetkeys resetchannels -@all +ping
user sentinel on #{{ get .passwords "sentinel" | sha256sum }} ~* &* +@all
user client on #{{ get .passwords "client" | sha256sum }} resetkeys resetchannels -@all +sentinel|master +sentinel|get-master-addr-by-name +ping +client|setname +auth +hello
sentinel auth-user ledger sentinel
sentinel auth-pass ledger {{ get .passwords "sentinel" }}
sentinel sentinel-user sentinel
sentinel sentinel-pass {{ get .passwords "sentinel" }}
{{- end }}
