// Loaded into the gateway with `--import`: measures how long its event loop stood still, and how long by its own work. The
// time between two turns of a timer also grows when other programs have the processor; the CPU time of the thread in
// between does not. Tells the longest of both since the last time, in milliseconds, on standard error when it gets SIGUSR2.
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
