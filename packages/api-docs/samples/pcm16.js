// Converts float samples to 16-bit PCM and posts frames of 100 ms.
class Pcm16 extends AudioWorkletProcessor {
  frame = new Int16Array(1600);
  length = 0;

  constructor() {
    super();
    this.port.onmessage = () => {
      this.post();
      this.port.postMessage(null);
    };
  }

  process([[samples = []]]) {
    for (const sample of samples) {
      this.frame[this.length++] = Math.max(-1, Math.min(1, sample)) * 32767;
      if (this.length === this.frame.length) this.post();
    }
    return true;
  }

  post() {
    if (this.length > 0) this.port.postMessage(this.frame.slice(0, this.length).buffer);
    this.length = 0;
  }
}
registerProcessor('pcm16', Pcm16);
