import { buildLines } from './print.ts';
import { summarize } from './summary.ts';
import { balancesOf, recordsOf, session, utterance } from './testing/records.ts';

const facts = {
  scenario: 'steady' as const,
  startedAt: '2027-01-01T00:00:00.000Z',
  seconds: 60,
  service: 'https://asr.example',
  model: 'm',
  streams: 1,
  declaredSlots: 4,
  declaredAfter: null,
  slowWorker: false,
  lagLimitMs: 50,
  crossedThresholds: false,
  limits: { delta: 300, final: 600, ready: 1000 },
};
const strict = { summary: '', defaults: {}, requiresLatency: true, mayBeRefused: false };
const lenient = { ...strict, requiresLatency: false };
const good = recordsOf([session('a')], [utterance('a')]);
const slow = recordsOf([session('a')], [utterance('a', { deltas: [[0, 400]] })]);
const late = recordsOf([session('a')], [utterance('a', { deltas: [[0, 400]], lagsMs: [200, 200] })]);
const found = (records: typeof good) => ({ records, balances: [balancesOf(3000)], saturation: null });

test('summarize passes a correct run that meets its targets', () => {
  expect(summarize(facts, strict, found(good)).outcome).toBe('passed');
});

test('summarize fails on a missed target only if the scenario requires latency', () => {
  expect(summarize(facts, strict, found(slow)).outcome).toBe('failed');
  expect(summarize(facts, lenient, found(slow)).outcome).toBe('passed');
});

test('summarize fails if k6 reports crossed thresholds', () => {
  expect(summarize({ ...facts, crossedThresholds: true }, strict, found(good)).outcome).toBe('failed');
});

test('summarize voids a run with a late generator, but fails it if it is incorrect', () => {
  expect(summarize(facts, strict, found(late)).outcome).toBe('void');
  expect(summarize(facts, lenient, found(late)).outcome).toBe('passed');
  expect(summarize(facts, strict, { ...found(late), balances: [balancesOf(9000)] }).outcome).toBe('failed');
});

test('summarize voids a missed target only if the machine became slower', () => {
  const outcome = (changes: object, records = slow) => {
    const { outcome: of, voidReason } = summarize({ ...facts, declaredSlots: 100, ...changes }, strict, found(records));
    return [of, voidReason];
  };
  expect(outcome({ declaredAfter: 89 })).toEqual(['void', 'slower machine']);
  expect(outcome({ declaredAfter: 90 })).toEqual(['failed', null]);
  expect(outcome({ declaredAfter: 130 })).toEqual(['failed', null]);
  expect(outcome({ declaredAfter: 89, streams: 101 })).toEqual(['failed', null]);
  expect(outcome({ declaredAfter: 89 }, good)).toEqual(['passed', null]);
  const lines = buildLines(summarize({ ...facts, declaredSlots: 100, declaredAfter: 80 }, strict, found(slow)), true);
  expect(lines.at(-1)).toBe(
    'steady: VOID: the machine became slower during the run. A worker now declares 80 slots, not 100. Run again.',
  );
});

test('buildLines shows latencies and gates, and the outcome last', () => {
  const lines = buildLines(summarize(facts, strict, found(slow)), true);
  expect(lines.find((line) => line.includes('delta'))).toMatch(/^✗ delta +p50 +400 ms +p95 +400 ms.*target p95 300 ms/);
  expect(lines).toContain('✓ every flush got its final: 1 utterances');
  expect(lines.at(-1)).toBe('steady: FAILED');
});
