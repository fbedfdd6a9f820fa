/** Formats a duration of audio for a table, for example as 58m32s or 1000h. Fractions of a second are omitted. */
export function showAudioMs(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const parts: readonly [number, string][] = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ];
  const text = parts.map(([amount, unit]) => (amount === 0 ? '' : `${amount}${unit}`)).join('');
  return text === '' ? '0s' : text;
}
