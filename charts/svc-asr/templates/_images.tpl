{{/* Returns the image reference of a component. Takes (dict "root" $ "image" VALUES). */}}
{{- define "svc-asr.image" -}}
{{- $tag := default (default .root.Chart.AppVersion .root.Values.image.tag) .image.tag }}
{{- $variant := ternary (printf "-%s" .image.variant) "" (not (empty .image.variant)) }}
{{- with default .root.Values.image.registry .image.registry }}{{ trimSuffix "/" . }}/{{ end }}
{{- .image.repository }}{{ with .image.digest }}@{{ . }}{{ else }}:{{ $tag }}{{ $variant }}{{ end }}
{{- end }}
