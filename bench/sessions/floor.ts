// The floor of the comparison: a minimal express handler that makes as many Redis round trips as the gateway, each with
// a trivial script. Environment: PORT, REDIS_URL, ROUND_TRIPS (number per request) and SCRIPT (text of the script). The
// round trips of a request differ in KEYS[1].
import express from 'express';
import { createClient } from 'redis';

const roundTrips = Number(process.env.ROUND_TRIPS);
const redis = createClient({ url: process.env.REDIS_URL ?? '', RESP: 2 });
redis.on('error', () => undefined);
await redis.connect();
const sha = await redis.scriptLoad(process.env.SCRIPT ?? '');

const app = express();
app.use(express.json());
app.post('/v1/asr/sessions', async (_request, response) => {
  for (let i = 0; i < roundTrips; i++) await redis.sendCommand(['EVALSHA', sha, '1', `floor-${i}`]);
  response.status(201).json({ ok: true });
});
app.listen(Number(process.env.PORT), '127.0.0.1', () => process.stdout.write('ready\n'));
