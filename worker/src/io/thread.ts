/**
 * Entry point of an I/O thread. The thread serves the streams of the gateways that connect to its port, until it
 * receives the command `close`.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { createLogger, createThreadTracing, followFile, parseTicketPublicKeys } from '@svc-asr/runtime';
import { EngineClient } from '../engine/client.ts';
import { EngineError } from '../engine/error.ts';
import { watchProgress } from '../progress.ts';
import { listen } from '../server/listen.ts';
import { Relay } from '../server/relay.ts';
import { createTicketGate } from '../server/tickets.ts';
import { UsedTickets } from '../server/used-tickets.ts';
import { IoCounters } from './counters.ts';
import { openProbe } from './probe.ts';
import { TicketClock } from './ticket-clock.ts';
import type { IoCommand, IoReport, IoThreadOptions } from './protocol.ts';

/** Interval of the log lines that report which streams a draining worker waits for. */
const REPORT_MS = 10_000;
const main = parentPort;
if (main === null) throw new Error('thread.ts must run in a worker thread');
const report = (message: IoReport): void => main.postMessage(message);
await serve(workerData as IoThreadOptions);

async function serve(options: IoThreadOptions): Promise<void> {
  const { index, workerId: id, settings } = options;
  const logger = createLogger('worker', settings.LOG_LEVEL).child({ model: settings.MODEL });
  const traces = await createThreadTracing('worker', settings, logger);
  const ticketKeys = followFile(settings.WORKER_TICKET_PUBLIC_KEYS_FILE, parseTicketPublicKeys, { logger });
  const counters = new IoCounters(options.counters);
  const clock = new TicketClock(options.ticketClock);
  const engine = EngineClient.connect(options.access);
  const { server, port } = await listen(settings, logger, index);
  const relay = new Relay({
    server,
    engine,
    tickets: createTicketGate(ticketKeys, { worker: id, model: settings.MODEL }, new UsedTickets(options.usedTickets)),
    limits: {
      openTimeoutMs: settings.OPEN_TIMEOUT_MS,
      slotWaitMs: settings.SLOT_WAIT_TIMEOUT_MS,
      unsentBytes: settings.MAX_UNSENT_BYTES,
      pingMs: settings.PING_MS,
      resumeMs: settings.RESUME_TIMEOUT_MS,
      reportMs: REPORT_MS,
    },
    metrics: {
      countSamples: (samples) => counters.addSamples(index, samples),
      countEnd: (code) => report({ kind: 'ended', code }),
    },
    logger,
    nowMs: () => clock.now(),
    tracing: traces.tracing,
    attributes: {
      'svc_asr.model': settings.MODEL,
      'svc_asr.worker.id': id,
      'svc_asr.revision': settings.REVISION,
    },
  });
  const copyProgress = () => counters.setProgress(index, engine.progress);
  copyProgress();
  // This interval is shorter than the interval at which the main thread checks the counter. So each check finds a new
  // value while the threads work.
  setInterval(copyProgress, settings.PROGRESS_INTERVAL_MS / 2);
  watchProgress(engine, settings.PROGRESS_INTERVAL_MS, () => relay.alive());

  const close = async () => {
    await relay.close();
    await traces.stop();
    // In a worker thread of Node, `process.exit` ends only this thread.
    process.exit(0);
  };
  const probe = async (times: { warmMs: number; measureMs: number }) => {
    const { cost, ...access } = await openProbe({ engine, settings, ...times });
    report({ kind: 'probing', ...access });
    report({ kind: 'probed', cost: await cost });
  };
  main?.on('message', (command: IoCommand) => {
    if (command.kind === 'refuse') relay.refuse();
    else if (command.kind === 'move') relay.move(command.withinMs);
    else if (command.kind === 'moveExcess') relay.moveExcess(command.share);
    else if (command.kind === 'fail') engine.fail(new EngineError('engine_failed', command.message));
    else if (command.kind === 'close') void close();
    else if (command.kind === 'probe') void probe(command);
    else void relay.emptied(command.withinMs).then((left) => report({ kind: 'emptied', left }));
  });
  report({ kind: 'listening', port });
}
