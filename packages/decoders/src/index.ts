export { decodeAudio } from './decode.ts';
export { UnsupportedAudioError } from '@svc-asr/client/internal';
export { ACCEPTED_FORMATS } from './sniff.ts';
export { AudioFormatError } from '@svc-asr/client';
