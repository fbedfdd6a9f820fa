/** Id of the live region that every entry page contains. */
const REGION = 'announcements';

/** Makes screen readers announce a short text, such as "Copied". */
export function announce(text: string): void {
  const region = document.getElementById(REGION);
  if (region === null) return;
  // The region is cleared first. Otherwise a text that equals the previous one would not be announced.
  region.textContent = '';
  setTimeout(() => (region.textContent = text), 50);
}
