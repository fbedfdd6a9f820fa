curl https://asr.example.com/v1/asr/sessions \
  -H "Authorization: Bearer $SVC_ASR_API_KEY" \
  -H "Content-Type: application/json" \
  -H "Idempotency-Key: first-session-1" \
  -d '{"model": "svc-asr-kikuyu-v1", "max_audio_seconds": 120}'
