/** Conditions that last: each is logged when it begins or changes, not each time it is met. */
export interface Notices {
  /** Logs, unless the same version of this condition was logged before. */
  raise: (id: string, version: string, log: () => void) => void;
  /** The condition is over; `log` runs when it was raised. */
  clear: (id: string, log?: () => void) => void;
}

/** Makes notices that log through the functions they are given. */
export function createNotices(): Notices {
  const raised = new Map<string, string>();
  return {
    raise: (id, version, log) => {
      if (raised.get(id) === version) return;
      raised.set(id, version);
      log();
    },
    clear: (id, log) => {
      if (raised.delete(id)) log?.();
    },
  };
}
