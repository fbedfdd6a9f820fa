curl https://asr.example.com/v1/audio/transcriptions \
  -H "Authorization: Bearer $SVC_ASR_API_KEY" \
  -F model=svc-asr-kikuyu-v1 \
  -F file=@speech.wav
