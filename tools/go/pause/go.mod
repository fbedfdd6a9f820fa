module svc-asr/tools/go/pause

go 1.21
