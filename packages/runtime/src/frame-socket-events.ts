import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Frame } from '@svc-asr/core';

export interface FrameSocketEvents {
  /** Called with each frame of a stream, and with `alive`. A thrown FrameError ends the connection. */
  onFrame: (frame: Frame) => void;
  /** Called once when the connection has ended, with the reason. */
  onClose: (reason: string) => void;
  /** Called before collected frames are written. It may send more. */
  onFlush?: () => void;
  /** Called when collected frames were passed to the kernel. */
  onWritten?: () => void;
  /**
   * Called when the socket was lost, with the reason. If it returns true, the connection continues without a socket
   * until the owner calls `resume`, `end` or `destroy`. Set it only if the other side can resume the connection too.
   */
  onLost?: (reason: string) => boolean;
}

/** A socket after an HTTP upgrade. */
export type UpgradedSocket = Duplex & Partial<Pick<Socket, 'setNoDelay' | 'setTimeout'>>;
