/**
 * The types of this file are the parts of the browser's audio interfaces that the microphone uses. The package is
 * compiled without DOM types.
 */
export interface MediaTrack {
  stop: () => void;
  addEventListener: (type: 'ended', listener: () => void) => void;
}

export interface MediaSource {
  getTracks: () => MediaTrack[];
}

export interface AudioNode {
  connect: (next: AudioNode) => AudioNode;
}

export interface WorkletPort {
  onmessage: ((event: { data: unknown }) => void) | null;
  postMessage: (message: unknown) => void;
}

export interface WorkletNode extends AudioNode {
  readonly port: WorkletPort;
}

export interface AudioGraph {
  readonly sampleRate: number;
  readonly state: string;
  readonly destination: AudioNode;
  readonly audioWorklet: { addModule: (url: string) => Promise<void> };
  createMediaStreamSource: (source: MediaSource) => AudioNode;
  resume: () => Promise<void>;
  close: () => Promise<void>;
}

/** Global objects of a browser. `mediaDevices` is undefined in pages that are not from a secure origin. */
export interface BrowserAudio {
  readonly AudioContext: new () => AudioGraph;
  readonly AudioWorkletNode: new (graph: AudioGraph, name: string, options: object) => WorkletNode;
  readonly navigator: {
    readonly mediaDevices?: { getUserMedia: (constraints: { audio: object }) => Promise<MediaSource> };
  };
}
