/** Part of a machine that one of several engines may use. */
export interface MachineShare {
  /** Part of the time that runs may take, from 0 to 1. */
  readonly time: number;
  /**
   * Part of the free device memory that the engine may use, from 0 to 1. Free memory is measured when the engine
   * starts.
   */
  readonly memory: number;
}

export const WHOLE_MACHINE: MachineShare = { time: 1, memory: 1 };

/**
 * Returns the share of an engine if several engines are started one after the other. Each engine gets an equal part of
 * the time. The memory that is free when an engine starts is divided among this engine and the later ones.
 */
export function shareMachine(index: number, engines: number): MachineShare {
  return { time: 1 / engines, memory: 1 / (engines - index) };
}
