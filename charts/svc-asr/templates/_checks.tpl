{{/* Fails for combinations of values that cannot work. The Deployment of the gateway includes this template. */}}
{{- define "svc-asr.check" -}}
{{- with .Values.redis }}
{{- $named := and .existingSecrets.gateway .existingSecrets.operator (or .existingSecrets.worker (eq .workerUsers "model")) (or .existingSecrets.console (not $.Values.console.enabled)) }}
{{- if and (not .enabled) (not .external.url) (not .existingSecret) (not $named) }}
{{- fail "redis.enabled is false: set redis.existingSecret (or redis.existingSecrets, or redis.external.url) to the address of Redis" }}
{{- end }}
{{- if and .enabled .external.url }}
{{- fail "redis.external.url is set, but redis.enabled is true: set redis.enabled to false, or remove the URL" }}
{{- end }}
{{- if and .sentinel.enabled (not .enabled) }}
{{- fail "redis.sentinel.enabled is true, but redis.enabled is false: for sentinels of your own, put their addresses into redis.external.url or redis.existingSecret" }}
{{- end }}
{{- if and .sentinel.enabled (or .aclExistingSecret .caSecret) }}
{{- fail "redis.sentinel.enabled uses the users and the CA of the chart: remove redis.aclExistingSecret and redis.caSecret" }}
{{- end }}
{{- $any := or .existingSecret .existingSecrets.gateway .existingSecrets.operator .existingSecrets.worker .existingSecrets.console }}
{{- if and .enabled $any (not .aclExistingSecret) }}
{{- fail "redis.existingSecret or redis.existingSecrets is set: also set redis.aclExistingSecret to a Secret that defines these users in the bundled Redis" }}
{{- end }}
{{- end }}
{{- with .Values.console }}
{{- if and .enabled .oidc.issuer (or (not .oidc.clientId) (not (include "svc-asr.consoleUrl" $))) }}
{{- fail "console.oidc.issuer is set: also set console.oidc.clientId and console.url, because the provider redirects to this URL" }}
{{- end }}
{{- if and .enabled .mail.existingSecret (or (not .mail.from) (not (include "svc-asr.consoleUrl" $))) }}
{{- fail "console.mail.existingSecret is set: also set console.mail.from and console.url, because mails link to this URL" }}
{{- end }}
{{- end }}
{{- with .Values.secrets.workerTickets }}
{{- if ne (empty .existingSecret) (empty .publicKeysExistingSecret) }}
{{- fail "secrets.workerTickets: set both existingSecret, with the private key, and publicKeysExistingSecret, with its public key, or neither" }}
{{- end }}
{{- end }}
{{- with .Values.gateway.autoscaling }}
{{- if and .enabled (gt (int .minReplicas) (int .maxReplicas)) }}
{{- fail "gateway.autoscaling.minReplicas is greater than maxReplicas: lower it, or raise maxReplicas" }}
{{- end }}
{{- end }}
{{- if and (or .Values.gateway.ingress.enabled .Values.gateway.httpRoute.enabled) (not .Values.publicUrl) }}
{{- fail "gateway.ingress or gateway.httpRoute is enabled: set publicUrl to the URL that clients use, because the websocket_url of sessions derives from it" }}
{{- end }}
{{- if and .Values.publicUrl (hasPrefix "http://" .Values.publicUrl) (ne .Values.tls.mode "none") }}
{{- fail "publicUrl starts with http://, but the gateway serves TLS: use https://, or set tls.mode to none" }}
{{- end }}
{{- range $component := list "gateway" "operator" "worker" "console" }}
{{- with (index $.Values $component).image }}
{{- if and .digest (or .tag .variant) }}
{{- fail (printf "%s.image.digest is set, but also a tag or variant: remove %s.image.tag and %s.image.variant, because the digest identifies one image" $component $component $component) }}
{{- end }}
{{- if regexMatch "[:@]" .repository }}
{{- fail (printf "%s.image.repository contains a tag, a digest or the port of a registry: move them to image.registry, %s.image.tag or %s.image.digest" $component $component $component) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
