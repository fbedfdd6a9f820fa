// Loaded into the gateway with `--import`. Measures the longest event loop stall, and the longest one by the gateway's
// own work. The time between two timer callbacks also grows when other programs use the CPU, but the CPU time of the
// thread does not. A first SIGUSR2 starts it. The next one stops it and prints both to standard error, in milliseconds.
// Its timer takes some percent of the gateway's CPU time, so it does not run while that is measured.
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
