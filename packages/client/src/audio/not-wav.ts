/** First bytes of files that are often mistaken for WAV. */
const SIGNATURES: readonly (readonly [name: string, at: number, bytes: string])[] = [
  ['a FLAC file', 0, 'fLaC'],
  ['an Ogg file', 0, 'OggS'],
  ['an MP3 file', 0, 'ID3'],
  ['an MP4 or M4A file', 4, 'ftyp'],
  ['an AIFF file', 0, 'FORM'],
  ['an AU file', 0, '.snd'],
  ['a WebM or Matroska file', 0, '\u001aE\u00df\u00a3'],
  ['a CAF file', 0, 'caff'],
  ['an AMR file', 0, '#!AMR'],
  ['a big-endian WAV file (RIFX)', 0, 'RIFX'],
];

/** Describes a file that is not WAV by its first 12 bytes. */
export function describeOther(head: Uint8Array): string {
  const text = String.fromCharCode(...head);
  const known = SIGNATURES.find(([, at, bytes]) => text.startsWith(bytes, at))?.[0];
  // An MP3 file without tags starts with a frame header, whose first eleven bits are set.
  const isMp3Frame = head[0] === 0xff && ((head[1] ?? 0) & 0xe0) === 0xe0;
  return known ?? (isMp3Frame ? 'an MP3 file' : 'not a WAV file');
}

/** Advice for audio that cannot be read. */
export const CONVERT_IT = 'convert it, for example with: ffmpeg -i INPUT -ac 1 -ar 16000 output.wav';
