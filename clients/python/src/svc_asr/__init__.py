"""Client of the svc-asr streaming speech recognition service."""

from .audio.g711 import decode_alaw, decode_mulaw
from .audio.resampler import Resampler
from .client import Client
from .close_codes import ReconnectAdvice, StreamEnd
from .errors import (
    AudioFormatError,
    SvcAsrAccountSuspended,
    SvcAsrConnectionLost,
    SvcAsrDraining,
    SvcAsrError,
    SvcAsrFailure,
    SvcAsrFrameTooLarge,
    SvcAsrIdleTimeout,
    SvcAsrNoCapacity,
    SvcAsrProtocolError,
    SvcAsrServiceFailed,
    SvcAsrStreamEnded,
    SvcAsrStreamError,
    SvcAsrUnreachable,
)
from .files import transcribe, transcribe_file
from .latency import Latency
from .long.long_stream import LongStream, open_long_stream
from .long.plan import Transcript
from .messages import (
    ConfigAck,
    ContextSize,
    Delta,
    ErrorEvent,
    Event,
    Final,
    Phrase,
    Ready,
    ResetAck,
    SpeechEnded,
    SpeechStarted,
    Status,
    Word,
)
from .resources import (
    AsrSession,
    CreditBalance,
    Model,
    ModelContext,
    SessionDetail,
    UsageSession,
)
from .retry import RetryPolicy
from .stream.frames import PcmAudio
from .stream.stream import AsrStream, StreamOptions, open_stream

__all__ = [
    "AsrSession",
    "AsrStream",
    "AudioFormatError",
    "Client",
    "ConfigAck",
    "ContextSize",
    "CreditBalance",
    "Delta",
    "ErrorEvent",
    "Event",
    "Final",
    "Latency",
    "LongStream",
    "Model",
    "ModelContext",
    "PcmAudio",
    "Phrase",
    "Ready",
    "ReconnectAdvice",
    "Resampler",
    "ResetAck",
    "RetryPolicy",
    "SessionDetail",
    "SpeechEnded",
    "SpeechStarted",
    "Status",
    "StreamEnd",
    "StreamOptions",
    "SvcAsrAccountSuspended",
    "SvcAsrConnectionLost",
    "SvcAsrDraining",
    "SvcAsrError",
    "SvcAsrFailure",
    "SvcAsrFrameTooLarge",
    "SvcAsrIdleTimeout",
    "SvcAsrNoCapacity",
    "SvcAsrProtocolError",
    "SvcAsrServiceFailed",
    "SvcAsrStreamEnded",
    "SvcAsrStreamError",
    "SvcAsrUnreachable",
    "Transcript",
    "UsageSession",
    "Word",
    "decode_alaw",
    "decode_mulaw",
    "open_long_stream",
    "open_stream",
    "transcribe",
    "transcribe_file",
]
