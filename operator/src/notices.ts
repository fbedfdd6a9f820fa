/** Conditions that last for a while. Each is logged when it starts or changes, and not on every occurrence. */
export interface Notices {
  /** Logs, unless the condition is already raised with the same version. */
  raise: (id: string, version: string, log: () => void) => void;
  /** Ends the condition. `log` runs only if it was raised. */
  clear: (id: string, log?: () => void) => void;
}

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
