// Fragmented mp4 bytes, as they come, cut into the init segment and one fragment per block.

const LARGEST_BOX = 256 * 1024 * 1024; // what says more is not the server's media

export class FragmentSplitter {
  constructor() {
    this.held = new Uint8Array(0);
    this.parts = []; // whole boxes of the part that has begun
  }

  // The parts that these bytes complete: { kind: 'init' | 'fragment', bytes, payload }, payload being the mdat's.
  push(chunk) {
    this.held = join([this.held, chunk]);
    const done = [];
    let at = 0;
    for (let box; (box = boxAt(this.held, at)); at += box.size) {
      this.parts.push(this.held.slice(at, at + box.size));
      if (box.type === 'moov') done.push({ kind: 'init', bytes: this.take() });
      if (box.type === 'mdat') {
        const payload = this.parts.at(-1).subarray(box.header);
        done.push({ kind: 'fragment', bytes: this.take(), payload });
      }
    }
    this.held = this.held.slice(at);
    return done;
  }

  take() {
    const whole = join(this.parts);
    this.parts = [];
    return whole;
  }
}

// The type of H.264 that an init segment announces: profile, constraints and level of its avcC box.
export function mimeOf(init) {
  const name = [0x61, 0x76, 0x63, 0x43]; // avcC
  const at = init.findIndex((_, i) => name.every((letter, j) => init[i + j] === letter));
  const hex = (byte) => byte.toString(16).padStart(2, '0');
  return at < 0 ? null : `video/mp4; codecs="avc1.${[...init.slice(at + 5, at + 8)].map(hex).join('')}"`;
}

// The box that begins here if all of it is there.
function boxAt(bytes, at) {
  if (bytes.length - at < 16) return null; // no box of media is smaller
  const view = new DataView(bytes.buffer, bytes.byteOffset + at);
  const short = view.getUint32(0);
  const size = short === 1 ? Number(view.getBigUint64(8)) : short;
  const header = short === 1 ? 16 : 8;
  if (size < header || size > LARGEST_BOX) throw new Error('the media of the server is not fragmented mp4');
  const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
  return bytes.length - at < size ? null : { type, size, header };
}

function join(parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
