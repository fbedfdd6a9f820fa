import type { Html } from './html.ts';
import { markup } from './html.ts';

type Lane = 0 | 1 | 2;

interface Step {
  from: Lane;
  to: Lane;
  text: string;
  /** Responses and events have a dashed line. */
  isResponse?: boolean;
}

const LANES = ['Your server', 'Your client', 'svc-asr'] as const;
const LANE_X = [90, 380, 670] as const;

const STEPS: readonly Step[] = [
  { from: 1, to: 0, text: 'request a session' },
  { from: 0, to: 2, text: 'POST /v1/asr/sessions with the API key' },
  { from: 2, to: 0, text: '201: websocket_url, websocket_protocols', isResponse: true },
  { from: 0, to: 1, text: 'session', isResponse: true },
  { from: 1, to: 2, text: 'handshake with the credential' },
  { from: 2, to: 1, text: 'status …', isResponse: true },
  { from: 2, to: 1, text: 'ready', isResponse: true },
  { from: 1, to: 2, text: 'binary audio frames …' },
  { from: 2, to: 1, text: 'delta …', isResponse: true },
  { from: 1, to: 2, text: 'flush' },
  { from: 2, to: 1, text: 'final', isResponse: true },
  { from: 1, to: 2, text: 'close 1000' },
];

const TOP = 64;
const ROW = 38;
const HEIGHT = TOP + STEPS.length * ROW + 12;

/** Renders a sequence diagram of a session. Its title contains the same steps as text, for screen readers. */
export function sequence(): Html {
  return markup`<figure class="scroll"><svg class="sequence" viewBox="0 0 760 ${HEIGHT}" role="img" aria-labelledby="sequence-title">
<title id="sequence-title">${STEPS.map(({ from, to, text }) => `${LANES[from]} to ${LANES[to]}: ${text}`).join('. ')}</title>
<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path d="M0 0 8 4 0 8z"/></marker></defs>
${LANES.map((name, at) => lane(name, LANE_X[at] ?? 0))}
${STEPS.map(step)}
</svg></figure>`;
}

function lane(name: string, x: number): Html {
  return markup`<rect class="head" x="${x - 70}" y="8" width="140" height="32" rx="8"/><text class="title" x="${x}" y="29">${name}</text><line class="lane" x1="${x}" y1="40" x2="${x}" y2="${HEIGHT - 6}"/>`;
}

function step({ from, to, text, isResponse }: Step, at: number): Html {
  const y = TOP + at * ROW + 14;
  const direction = LANE_X[to] > LANE_X[from] ? 1 : -1;
  const start = LANE_X[from] + 4 * direction;
  const end = LANE_X[to] - 4 * direction;
  const middle = (LANE_X[from] + LANE_X[to]) / 2;
  // An arrow between the outer lanes crosses the middle lane. Its text is above the left half, where no lane crosses
  // the text.
  const x = Math.abs(from - to) === 2 ? (LANE_X[0] + LANE_X[1]) / 2 : middle;
  return markup`<line class="${isResponse === true ? 'response' : 'call'}" x1="${start}" y1="${y}" x2="${end}" y2="${y}" marker-end="url(#arrow)"/><text x="${x}" y="${y - 7}">${text}</text>`;
}
