// Loaded into the gateway with `--import`. Measures the longest event loop stall, and the longest one by the gateway's
// own work. The time between two timer callbacks also grows when other programs use the CPU, but the CPU time of the
// thread does not. On SIGUSR2 it prints both since the last signal to standard error, in milliseconds.
const TURN_MS = 10;

let longest = { passedMs: 0, ownMs: 0 };
let atMs = performance.now();
let cpu = process.threadCpuUsage();
setInterval(() => {
  const now = process.threadCpuUsage();
  const nowMs = performance.now();
  longest = {
    passedMs: Math.max(longest.passedMs, nowMs - atMs),
    ownMs: Math.max(longest.ownMs, (now.user - cpu.user + now.system - cpu.system) / 1000),
  };
  [cpu, atMs] = [now, nowMs];
}, TURN_MS).unref();

process.on('SIGUSR2', () => {
  process.stderr.write(`stall ${longest.passedMs} own ${longest.ownMs}\n`);
  longest = { passedMs: 0, ownMs: 0 };
});
