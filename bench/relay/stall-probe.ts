// Loaded into the gateway with `--import`: measures how long its event loop stood still by its own work. The time between
// two turns of a timer also grows when other programs have the processor; the CPU time of the thread in between does not.
// Tells the longest since the last time, in milliseconds, on standard error when it gets SIGUSR2.
const TURN_MS = 10;

let longestMs = 0;
let cpu = process.threadCpuUsage();
setInterval(() => {
  const now = process.threadCpuUsage();
  longestMs = Math.max(longestMs, (now.user - cpu.user + now.system - cpu.system) / 1000);
  cpu = now;
}, TURN_MS).unref();

process.on('SIGUSR2', () => {
  process.stderr.write(`own stall ${longestMs}\n`);
  longestMs = 0;
});
