import type { Html } from './html.ts';
import { markup } from './html.ts';

type Lane = 0 | 1 | 2;

interface Step {
  from: Lane;
  to: Lane;
  text: string;
  /** Answers and events have a dashed line. */
  isAnswer?: boolean;
}

const LANES = ['Your server', 'Your client', 'svc-asr'] as const;
const LANE_X = [90, 380, 670] as const;

const STEPS: readonly Step[] = [
  { from: 1, to: 0, text: 'wants to stream' },
  { from: 0, to: 2, text: 'POST /v1/asr/sessions, API key' },
  { from: 2, to: 0, text: '201: websocket_url, websocket_protocols', isAnswer: true },
  { from: 0, to: 1, text: 'the session, relayed', isAnswer: true },
  { from: 1, to: 2, text: 'WebSocket handshake, one-use credential' },
  { from: 2, to: 1, text: 'status …', isAnswer: true },
  { from: 2, to: 1, text: 'ready', isAnswer: true },
  { from: 1, to: 2, text: 'binary audio frames …' },
  { from: 2, to: 1, text: 'delta …', isAnswer: true },
  { from: 1, to: 2, text: 'flush' },
  { from: 2, to: 1, text: 'final', isAnswer: true },
  { from: 1, to: 2, text: 'close 1000' },
];

const TOP = 64;
const ROW = 38;
const HEIGHT = TOP + STEPS.length * ROW + 12;

/** The whole exchange as a picture, with a description for those who do not see it. */
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

function step({ from, to, text, isAnswer }: Step, at: number): Html {
  const y = TOP + at * ROW + 14;
  const direction = LANE_X[to] > LANE_X[from] ? 1 : -1;
  const start = LANE_X[from] + 4 * direction;
  const end = LANE_X[to] - 4 * direction;
  const middle = (LANE_X[from] + LANE_X[to]) / 2;
  // A line over the middle lane would run through its text: that text moves to the side of the sender's half.
  const x = Math.abs(from - to) === 2 ? (LANE_X[0] + LANE_X[1]) / 2 : middle;
  return markup`<line class="${isAnswer === true ? 'answer' : 'call'}" x1="${start}" y1="${y}" x2="${end}" y2="${y}" marker-end="url(#arrow)"/><text x="${x}" y="${y - 7}">${text}</text>`;
}
