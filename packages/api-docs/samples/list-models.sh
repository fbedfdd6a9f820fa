curl https://asr.example.com/v1/models
