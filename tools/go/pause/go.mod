module svc-asr/tools/go/pause

go 1.26.0

tool svc-asr/tools/go/pause
