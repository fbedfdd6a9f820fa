/** Part of a machine that an engine may use if several engines share the machine. */
export interface MachineShare {
  /** Part of the time that the runs of the engine may take, from 0 to 1. */
  readonly time: number;
  /**
   * Part of the free device memory that the engine may use, from 0 to 1. Free memory is measured when the engine
   * starts.
   */
  readonly memory: number;
}

export const WHOLE_MACHINE: MachineShare = { time: 1, memory: 1 };

/**
 * Returns the share of engine number `index` if several engines are started one after the other. Each engine gets an
 * equal part of the time. The memory that is free when an engine starts is divided equally among this engine and the
 * engines that start after it.
 */
export function shareMachine(index: number, engines: number): MachineShare {
  return { time: 1 / engines, memory: 1 / (engines - index) };
}
