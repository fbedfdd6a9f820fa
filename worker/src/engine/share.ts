/** Part of a machine that one of several engines may use. */
export interface MachineShare {
  /** Part of the time that runs may take, from 0 to 1. */
  readonly time: number;
  /** Part of the device memory that is free when the engine starts, from 0 to 1. */
  readonly memory: number;
}

export const WHOLE_MACHINE: MachineShare = { time: 1, memory: 1 };

/**
 * Returns the share of an engine among several that are started one after the other. Each gets an equal part of the
 * time. The memory that is free when an engine starts is divided between this engine and those after it.
 */
export function shareMachine(index: number, engines: number): MachineShare {
  return { time: 1 / engines, memory: 1 / (engines - index) };
}
