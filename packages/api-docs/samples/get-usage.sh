curl https://asr.example.com/v1/usage \
  -H "Authorization: Bearer $SVC_ASR_API_KEY"
