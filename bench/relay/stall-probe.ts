// Loaded into the gateway with `--import`. Measures the longest stall of the event loop, and the longest stall that the
// gateway's own work caused. The time between two timer callbacks also grows when other programs use the CPU, but the
// CPU time of the thread does not. The first SIGUSR2 starts the measurement. The next SIGUSR2 stops the measurement and
// prints both values to standard error, in milliseconds. The timer takes a few percent of the gateway's CPU time. The
// benchmark therefore uses the probe only in its first round, and measures CPU time in later rounds.
const TURN_MS = 10;

let stop: (() => void) | undefined;

process.on('SIGUSR2', () => {
  if (stop === undefined) stop = start();
  else {
    stop();
    stop = undefined;
  }
});

function start(): () => void {
  const longest = { passedMs: 0, ownMs: 0 };
  let atMs = performance.now();
  let cpu = process.threadCpuUsage();
  const timer = setInterval(() => {
    const now = process.threadCpuUsage();
    const nowMs = performance.now();
    longest.passedMs = Math.max(longest.passedMs, nowMs - atMs);
    longest.ownMs = Math.max(longest.ownMs, (now.user - cpu.user + now.system - cpu.system) / 1000);
    [cpu, atMs] = [now, nowMs];
  }, TURN_MS);
  return () => {
    clearInterval(timer);
    process.stderr.write(`stall ${longest.passedMs} own ${longest.ownMs}\n`);
  };
}
