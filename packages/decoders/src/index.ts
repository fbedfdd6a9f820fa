export { decodeAudio } from './decode.ts';
export { UnsupportedAudioError } from './error.ts';
export { ACCEPTED_FORMATS } from './sniff.ts';
export { AudioFormatError } from '@svc-asr/client';
