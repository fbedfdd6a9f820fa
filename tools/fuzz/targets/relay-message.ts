import { parseRelayAnswer, parseRelayRequest, RELAY_LIMITS } from '@svc-asr/core';
import { check } from '../engine/target.ts';
import type { FuzzTarget } from '../engine/target.ts';

const MAX_REASON_CHARACTERS = 1000;

export const target: FuzzTarget = {
  property: 'The parsers of relay messages never throw, bound their reasons, and accept again what they accepted.',
  seeds: [
    '{"type":"open","ticket":"t","context":[56,13],"realtime_from":1,"traceparent":"00"}',
    '{"type":"open","context":[56,13],"endpointing":{"silence_ms":500,"not_before":10}}',
    '{"type":"open","context":[56,13],"phrases":[{"text":"nyeri","boost":5}]}',
    '{"type":"flush"}',
    '{"type":"reset"}',
    '{"type":"opened","chunk_samples":8960,"early_samples":1,"context":[56,13],"buffer_samples":100}',
    '{"type":"final","text":"a b","audio_end":9,"words":[{"text":"a","start_ms":0,"end_ms":10}],"endpoint":true}',
    '{"type":"final","text":"a","audio_end":9,"words":[{"text":"a","start_ms":0,"end_ms":10,"confidence":0.5}]}',
    '{"type":"delta","text":"a","audio_end":16000,"speech_start":5}',
    '{"type":"reset_done"}',
    '{"type":"consumed","samples":1}',
    '{"type":"move","within_ms":5,"reason":"too_many_streams"}',
    '{"type":"error","code":"no_slot","message":"m"}',
  ],
  dictionary: ['"type"', '"words"', '"__proto__"', 'null', '[]', '{}', '[[', '"text":"', '-1', '1e999', '"\\ud800"'],
  maxBytes: RELAY_LIMITS.maxMessageBytes,
  run: (input) => {
    for (const parse of [parseRelayRequest, parseRelayAnswer]) {
      const parsed = parse(input.toString());
      if (!parsed.ok) {
        check(parsed.reason.length <= MAX_REASON_CHARACTERS, 'the reason is too long');
        continue;
      }
      // Unknown fields are kept, and may have numbers that JSON cannot write. So only the validity is compared.
      check(parse(JSON.stringify(parsed.message)).ok, 'a written message is refused');
    }
  },
};
