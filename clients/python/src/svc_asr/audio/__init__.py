"""Conversion of audio to the format of the stream: 16,000 Hz, one channel, 16 bits."""
