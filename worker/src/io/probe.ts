import { randomBytes } from 'node:crypto';
import { AUDIO } from '@svc-asr/core';
import { createLogger } from '@svc-asr/runtime';
import type { EngineClient } from '../engine/client.ts';
import { listen } from '../server/listen.ts';
import { Relay } from '../server/relay.ts';
import type { WorkerSettings } from '../settings.ts';

/** Longest time to wait for the first audio. */
const START_TIMEOUT_MS = 5000;
const LIMITS = {
  openTimeoutMs: START_TIMEOUT_MS,
  slotWaitMs: 1000,
  unsentBytes: 16_777_216,
  pingMs: 60_000,
  resumeMs: 0,
  reportMs: 60_000,
};

export interface ProbeOptions {
  readonly engine: Pick<EngineClient, 'info' | 'open'>;
  readonly settings: Pick<WorkerSettings, 'TLS_CERT_FILE' | 'TLS_KEY_FILE'>;
  /** Time between the first audio and the start of the measurement. It covers just-in-time compilation. */
  readonly warmMs: number;
  readonly measureMs: number;
}

/** A port on which a thread measures the cost of streams. Only this process can use the port. */
export interface Probe {
  readonly port: number;
  /** Ticket with which any number of streams can be opened on the port. */
  readonly ticket: string;
  /**
   * Resolves when the measurement has ended and the port is closed. The value is the CPU time of this thread per second
   * of audio, or undefined if no audio arrived.
   */
  readonly cost: Promise<number | undefined>;
}

/**
 * Opens a port in this thread. The port serves streams with the same code, TLS settings and engine as the port for
 * gateways. Measures the CPU time of this thread while another thread sends audio. The streams of the probe are not
 * logged and do not count in metrics.
 */
export async function openProbe({ engine, settings, warmMs, measureMs }: ProbeOptions): Promise<Probe> {
  const logger = createLogger('worker', 'silent');
  const ticket = randomBytes(32).toString('base64url');
  const { server, port } = await listen({ ...settings, HOST: '127.0.0.1', PORT: 0 }, logger);
  let samples = 0;
  let onAudio: () => void = () => undefined;
  const started = new Promise<void>((resolve) => (onAudio = resolve));
  const relay = new Relay({
    server,
    engine,
    tickets: {
      admit: (text, nowMs) => {
        return text === ticket ? { session: 'probe', model: '', worker: '', epoch: 1, expMs: nowMs } : undefined;
      },
    },
    limits: LIMITS,
    metrics: {
      countSamples: (count) => {
        samples += count;
        onAudio();
      },
      countEnd: () => undefined,
    },
    logger,
  });
  const read = () => ({ cpuMs: threadCpuMs(), seconds: samples / AUDIO.sampleRateHz });
  const measure = async (): Promise<number | undefined> => {
    await Promise.race([started, pause(START_TIMEOUT_MS)]);
    await pause(warmMs);
    const before = read();
    await pause(measureMs);
    const after = read();
    await relay.close();
    const seconds = after.seconds - before.seconds;
    return seconds > 0 ? (after.cpuMs - before.cpuMs) / 1000 / seconds : undefined;
  };
  return { port, ticket, cost: measure() };
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
