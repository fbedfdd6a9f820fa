import { isWhole, parseReplication, TailFinder } from './replication.ts';

const INFO = `# Server\r
tcp_port:4001\r
# Replication\r
role:master\r
connected_slaves:2\r
slave0:ip=127.0.0.1,port=5001,state=online,offset=90,lag=0\r
slave1:ip=127.0.0.1,port=5002,state=STATE,offset=95,lag=1\r
master_repl_offset:100\r
`;

test('parseReplication reads the port, the offset and the replicas that have copied the data', () => {
  const whole = parseReplication(INFO.replace('STATE', 'online'));
  expect(whole).toEqual({ port: 4001, offset: 100, replicas: [90, 95] });
  const copying = parseReplication(INFO.replace('STATE', 'send_bulk'));
  expect(copying).toEqual({ port: 4001, offset: 100, replicas: [90] });
  expect([isWhole(whole), isWhole(copying)]).toEqual([true, false]);
});

/** Passes reports of primaries to a TailFinder, and returns its periods. */
function find(...reports: [atMs: number, port: number, offset: number, replicas: number[]][]) {
  const finder = new TailFinder();
  for (const [atMs, port, offset, replicas] of reports) finder.add({ port, offset, replicas }, atMs);
  return finder.tails;
}

test('TailFinder returns the period in which writes may be lost, from the last report whose writes both replicas confirmed until both replicas follow the new primary', () => {
  const tails = find(
    [0, 1, 10, [10, 10]],
    [100, 1, 20, [20, 10]],
    [200, 1, 30, [30, 20]],
    [300, 1, 40, [30, 20]],
    [1000, 2, 35, [30]],
    [1100, 2, 45, [35, 40]],
    [1200, 2, 50, [50, 50]],
  );
  expect(tails).toEqual([{ fromMs: 100, toMs: 1200 }]);
});

test('TailFinder returns nothing if the primary stays the same, even if a replica is missing for some time', () => {
  expect(find([0, 1, 10, [10, 10]], [100, 1, 20, [20]], [200, 1, 30, [30, 30]])).toEqual([]);
});

test('TailFinder returns one period for two failovers if one replica did not follow the first new primary before the second failover', () => {
  const tails = find([0, 1, 10, [10, 10]], [100, 2, 20, [20]], [200, 3, 30, [30]], [300, 3, 30, [30, 30]]);
  expect(tails).toEqual([{ fromMs: 0, toMs: 300 }]);
});
