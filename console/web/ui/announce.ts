/** Id of the live region that every entry page contains. */
const REGION = 'announcements';

/** Makes screen readers announce a short text, such as "Copied". */
export function announce(text: string): void {
  const region = document.getElementById(REGION);
  if (region === null) return;
  // Equal texts in a row would not be announced.
  region.textContent = '';
  setTimeout(() => (region.textContent = text), 50);
}
