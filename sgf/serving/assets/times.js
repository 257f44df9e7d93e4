// Blocks, frames and seconds of a stream, and how times are written.

export function firstFrame(stream, block) {
  const [first, later] = stream.block_frames;
  return block === 0 ? 0 : first + (block - 1) * later;
}

export function blockTime(stream, block) {
  return firstFrame(stream, block) / stream.fps;
}

export function blockAt(stream, seconds) {
  const [first, later] = stream.block_frames;
  const frame = Math.floor(Math.max(0, seconds) * stream.fps + 1e-3);
  return frame < first ? 0 : 1 + Math.floor((frame - first) / later);
}

export function blockSeconds(stream) {
  return stream.block_frames[1] / stream.fps;
}

// 0:07.3, or 1:02:03.4 from one hour on. Truncated, as a clock is.
export function clock(seconds) {
  const tenths = Math.floor(Math.max(0, seconds) * 10 + 1e-6);
  const [h, m, s] = [Math.floor(tenths / 36000), Math.floor(tenths / 600) % 60, (tenths % 600) / 10];
  const tail = s.toFixed(1).padStart(4, '0');
  return h ? `${h}:${String(m).padStart(2, '0')}:${tail}` : `${m}:${tail}`;
}

export function bytes(count) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (count >= 1024 && unit < units.length - 1) {
    count /= 1024;
    ++unit;
  }
  return `${count < 10 && unit ? count.toFixed(1) : Math.round(count)} ${units[unit]}`;
}

export function ago(created, now = Date.now() / 1000) {
  const seconds = Math.max(0, now - created);
  if (seconds < 60) return 'just now';
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ago`;
  return new Date(created * 1000).toLocaleDateString();
}

const ENDED = new Set(['completed', 'stopped', 'failed', 'saved']);

export function hasEnded(stream) {
  return ENDED.has(stream.status);
}

// The entry of the timeline in force at a time.
export function promptAt(stream, seconds) {
  return stream.timeline.filter((entry) => entry.at <= seconds + 1e-3).at(-1) || stream.timeline[0];
}

export function seedAt(stream, seconds) {
  return (stream.seeds.filter((entry) => entry.at <= seconds + 1e-3).at(-1) || stream).seed;
}
