import { RELAY_CONNECTION_PATH, RELAY_UPGRADE, RESUME_HEADERS } from '@svc-asr/core';
import { readUpgrade } from '../../../worker/src/server/relay-upgrade.ts';
import { check } from '../engine/target.ts';
import type { FuzzTarget } from '../engine/target.ts';
import { readRequest } from './http-request.ts';

export const target: FuzzTarget = {
  property: 'readUpgrade never throws, and reads only whole and safe numbers.',
  seeds: [
    `GET ${RELAY_CONNECTION_PATH} HTTP/1.1\nupgrade: ${RELAY_UPGRADE}\n${RESUME_HEADERS.offer}: 1`,
    `GET ${RELAY_CONNECTION_PATH}?a HTTP/1.1\nupgrade: ${RELAY_UPGRADE}\n${RESUME_HEADERS.token}: t\n${RESUME_HEADERS.received}: 12`,
  ],
  dictionary: [RELAY_CONNECTION_PATH, RELAY_UPGRADE, ...Object.values(RESUME_HEADERS)],
  maxBytes: 1024,
  run: (input) => {
    const upgrade = readUpgrade(readRequest(input));
    if (upgrade?.kind !== 'resume') return;
    check(Number.isSafeInteger(upgrade.received) && upgrade.received >= 0, 'a number is not a count of bytes');
  },
};
