/** Outlines of the icons on a grid of 20 by 20. */
const OUTLINES = {
  overview: 'M3.5 3.5h5.5v5.5H3.5zM11 3.5h5.5v5.5H11zM3.5 11h5.5v5.5H3.5zM11 11h5.5v5.5H11z',
  playground:
    'M10 2.8a2.4 2.4 0 0 1 2.4 2.4v4.2a2.4 2.4 0 0 1-4.8 0V5.2A2.4 2.4 0 0 1 10 2.8zM5 9.4a5 5 0 0 0 10 0M10 14.4v3',
  key: 'M13 3a4 4 0 1 1-3.6 5.7L3 15.2V17.5h2.6v-1.9h1.9v-1.9h1.9l1.6-1.7M13.6 6.6h.01',
  usage: 'M3 17h14M5.5 14V9.5M10 14V4.5M14.5 14v-7',
  sessions: 'M3 10h2l1.8-5 3 11 2.6-8 1.4 2H17',
  quickStart: 'M7 6l-4 4 4 4M13 6l4 4-4 4M11.3 4.5l-2.6 11',
  account: 'M10 10.2a3.3 3.3 0 1 0 0-6.6 3.3 3.3 0 0 0 0 6.6zM3.6 17c.7-3 3.3-4.4 6.4-4.4s5.7 1.4 6.4 4.4',
  team: 'M7.5 9.5a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM2.5 16c.5-2.6 2.5-3.9 5-3.9s4.5 1.3 5 3.9M13 9.3a2.4 2.4 0 1 0-.8-4.6M14.6 12.4c1.6.5 2.6 1.7 2.9 3.6',
  documentation: 'M4 4.2c2-.7 4.3-.5 6 .8 1.7-1.3 4-1.5 6-.8v11c-2-.7-4.3-.5-6 .8-1.7-1.3-4-1.5-6-.8zM10 5v11',
  signOut: 'M8 3.5H4.5a1 1 0 0 0-1 1v11a1 1 0 0 0 1 1H8M12.5 13.5 16.5 10l-4-3.5M16.2 10H8',
  menu: 'M3 5.5h14M3 10h14M3 14.5h14',
  close: 'M5 5l10 10M15 5 5 15',
  copy: 'M7.5 7.5h9v9h-9zM4.5 12.5h-1v-9h9v1',
  check: 'M4 10.5l4 4 8-9',
  warning: 'M10 3.2 17.6 16.5H2.4zM10 8v4M10 14.2h.01',
  info: 'M10 17.5a7.5 7.5 0 1 0 0-15 7.5 7.5 0 0 0 0 15zM10 9.2v4.5M10 6.4h.01',
  external: 'M8 4.5H4.5v11h11V12M11.5 3.5h5v5M16 4 9.5 10.5',
  play: 'M6 4l9.5 6L6 16z',
  stop: 'M5 5h10v10H5z',
  plus: 'M10 4v12M4 10h12',
  people:
    'M7.2 9.4a2.9 2.9 0 1 0 0-5.8 2.9 2.9 0 0 0 0 5.8zM2.2 16.4c.5-2.7 2.5-4 5-4s4.5 1.3 5 4M13 3.9a2.7 2.7 0 0 1 0 5.3M14.6 12.5c1.8.4 2.9 1.7 3.2 3.9',
  inbox: 'M3 11.5 5.2 4h9.6L17 11.5v4.5H3zM3 11.5h4l1 2h4l1-2h4',
  credit: 'M10 17.2a7.2 7.2 0 1 0 0-14.4 7.2 7.2 0 0 0 0 14.4zM10 6.2V10l2.6 1.8',
  layers: 'M10 3.2 17 7l-7 3.8L3 7zM3.4 10.4 10 14l6.6-3.6M3.4 13.6 10 17.2l6.6-3.6',
  list: 'M7 5h10M7 10h10M7 15h10M3.4 5h.01M3.4 10h.01M3.4 15h.01',
  download: 'M10 3v9.5M6 9l4 4 4-4M3.5 16.5h13',
} as const;

export type IconName = keyof typeof OUTLINES;

/** Draws an icon next to a text. Screen readers skip it. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={OUTLINES[name]} />
    </svg>
  );
}

/** Draws the mark of the product: a wave form. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <rect width="24" height="24" rx="6" />
      <path d="M6 10.5v3M9.5 7.5v9M13 5.5v13M16.5 9v6M19.5 11v2" transform="translate(-.8 0)" />
    </svg>
  );
}
